// SHEPHERD's request router (section 3.2): each stream's requests go to the serving group that it is in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/arrivals.h"
#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "systems/shepherd/herd_input.h"

namespace harness {

// HERD's plan as the engine's groups of workers (SHEPHERD, section 3.2).

/// Whether streams enter at independent models. Where requests go through a pipeline, or there is one
/// stream, one group has all GPUs and models (one_group_plan).
bool is_for_herd(const ServingContext& context);

/// HERD's serving groups for those rates, by module, which were measured; without groups where there is no
/// plan, and when nothing was measured.
HerdPlan serving_groups_for(const ServingContext& context, const HerdPlannerParams& params, int max_batch,
                            const std::vector<double>& module_rps);

/// HERD's serving groups of a cell that is for it. Model m is module m. Throws InputError with HERD's reason
/// when there is no plan, and when it would have more groups than a plan may have.
HerdPlan serving_groups(const ServingContext& context, const HerdPlannerParams& params, int max_batch);

/// The same for the engine, with batches of at most `max_batch` and the models' shares.
Plan plan_of(const ServingContext& context, const HerdPlan& groups, int max_batch);

/// The share of each stream of the model that enters at `entry`, by Visit::stream: streams whose numbers are
/// equal modulo 65,536 are in one share. Those without a rate come last, so that there is no share without a
/// rate while there are as many streams with one. Of streams of other models: 0.
std::vector<std::uint32_t> shares_of_streams(std::span<const Stream> streams, ModuleId entry, int shares,
                                             HerdSplit split);

/// By share of that model: its group, in the order of the groups (WorkerGroup::shares).
std::vector<GroupId> groups_of_shares(const Plan& plan, ModuleId model);

/// Sends a model's visits to the groups of their streams' shares, as the plan in force divides them. While a
/// group has no workers, its shares go to that of the next share that has some.
class ShareRouter final : public Router {
 public:
  /// `streams`: with the rates by which they are divided; they outlive the router.
  ShareRouter(std::span<const Stream> streams, ModuleId model, HerdSplit split)
      : streams_(streams), model_(model), split_(split) {}

  void on_plan(const Plan& plan) override;
  /// `share_of`: by Visit::stream; `group_of`: by share. What on_plan does.
  void divide(std::vector<std::uint32_t> share_of, std::vector<GroupId> group_of);
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override;

 private:
  /// That of the first of the groups from the share's own on that has one; to be found in `place_` then.
  std::uint32_t find_queue(std::uint32_t share, std::span<const QueueView> queues);

  std::span<const Stream> streams_;
  ModuleId model_;
  HerdSplit split_;
  std::vector<std::uint32_t> share_of_;
  std::vector<GroupId> group_of_;
  std::vector<std::uint32_t> place_;  ///< by share: where its queue was last found
};

}  // namespace harness
