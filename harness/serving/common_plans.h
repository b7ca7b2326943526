// What planners of several systems have in common.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

/// The most groups that a plan may have: what GroupId numbers, less one for "none".
inline constexpr std::size_t kMaxGroups = 65'534;

/// Throws InputError where a plan would have more groups than it may.
void check_group_count(std::size_t groups);

/// Whether it is a plan of a pipeline with so many modules, as everyone who is handed one takes for granted.
bool suits(const Plan& plan, std::size_t modules);

/// Whether `next` may follow `current` in a run: no more groups than a plan may have, the groups of `current`
/// first (is_same_group), and no module's maximum batch size smaller than before.
bool follows(const Plan& current, const Plan& next);

/// The plan `wanted`, whose groups may be any and in any order, as one that follows `current`: a group that
/// is there already is used again, others are added, those that are not wanted have no workers. Of equal
/// groups the larger ones stay the larger ones, so that as few workers move as can be; each has at most one
/// of the wanted groups. A module's maximum batch size never falls (batches of the plan before may still
/// run). Returns `current` where that would have more groups than a plan may have: the groups of a long run
/// are used up then.
Plan continued_plan(const Plan& current, const Plan& wanted);

/// SLO x latency_k / the sum of the latencies along the longest path, per module, rounded down: the SLO and
/// the path of the entry from which the module's requests come (ServingContext::slo_of_entry).
std::vector<TimeNs> proportional_budgets(const ServingContext& context,
                                         const std::vector<TimeNs>& latency_ns);

/// Whether every module is a model that runs in batches: no shared server and no thread pool.
bool has_only_batches(const ServingContext& context);

/// The kind of device on which a batch of one of the module is fastest; of equal ones the cheaper, then the
/// first; 0 where all devices are alike.
std::uint16_t fastest_kind(const ServingContext& context, ModuleId module);

/// One group: every worker serves every module, in batches of at most `max_batch`.
Plan one_group_plan(const ServingContext& context, int max_batch);

}  // namespace harness
