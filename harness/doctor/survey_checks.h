// Checks of the facts about all ranks of a job, for `harness doctor`.
#pragma once

#include <span>
#include <vector>

#include "harness/doctor/launch.h"
#include "harness/doctor/survey_ranks.h"
#include "harness/machine/check.h"

namespace harness {

/// Checks that the ranks found each other: MPI sees as many, the size of `facts`, as were launched.
Check check_launch(const Launch& launch, std::span<const RankFacts> facts);
/// Returns a failure that names the ranks that did not answer; nothing if all answered.
std::vector<Check> check_silent(std::span<const RankFacts> facts);
/// Returns the findings of all hosts, equal ones once, with the hosts' names if not all hosts have them.
std::vector<Check> check_hosts(std::span<const RankFacts> facts);
/// Checks the latency between rank 0 and the others. This and the next two need at least two ranks, of which
/// rank 0 and another answered.
Check check_links(std::span<const RankFacts> facts);
Check check_clocks(std::span<const RankFacts> facts);
/// Checks that sleeping ranks are woken.
Check check_wakes(std::span<const RankFacts> facts);

}  // namespace harness
