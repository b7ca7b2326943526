// Functions that the planners of several systems share.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"

namespace harness {

/// The largest number of groups that a plan may have: the largest GroupId, less one for the value that means
/// "none".
inline constexpr std::size_t kMaxGroups = 65'534;

/// Throws InputError if a plan would have more groups than it may.
void check_group_count(std::size_t groups);

/// True if it is a sound plan of a pipeline with so many modules. Everyone who is handed a plan takes this
/// for granted.
bool suits(const Plan& plan, std::size_t modules);

/// True if `next` may follow `current` in a run: it has no more groups than a plan may have, the groups of
/// `current` come first in it (is_same_group), and no module's maximum batch size is smaller than before.
bool follows(const Plan& current, const Plan& next);

/// Returns the plan `wanted`, whose groups may be any and in any order, as a plan that follows `current`. A
/// wanted group that is there already is used again, other wanted groups are added, and groups that are not
/// wanted have no workers. If several groups are equal, the larger ones stay the larger ones, so that as few
/// workers move as possible; each takes the place of at most one wanted group. A module's maximum batch size
/// never falls, because batches of the plan before may still run. Returns `current` if the result would have
/// more groups than a plan may have: the groups of a long run are used up then.
Plan continued_plan(const Plan& current, const Plan& wanted);

/// Returns the budget of each module, SLO x latency_k / the sum of the latencies along the longest path,
/// rounded down. The SLO and the path belong to the entry from which the module's requests come
/// (ServingContext::slo_of_entry).
std::vector<TimeNs> proportional_budgets(const ServingContext& context,
                                         const std::vector<TimeNs>& latency_ns);

/// True if every module is a model that runs in batches, so that there is no shared server and no thread
/// pool.
bool has_only_batches(const ServingContext& context);

/// Returns the kind of device on which a batch of one of the module is fastest; of equally fast kinds the
/// cheaper one, then the first. Returns 0 if all devices are alike.
std::uint16_t fastest_kind(const ServingContext& context, ModuleId module);

/// Returns a plan with one group: every worker serves every module, in batches of at most `max_batch`.
Plan one_group_plan(const ServingContext& context, int max_batch);

}  // namespace harness
