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

/// True if streams enter at independent models. Otherwise (requests go through a pipeline, or there is one
/// stream for one model) one group has all GPUs and models (one_group_plan).
bool is_for_herd(const ServingContext& context);

/// Returns HERD's serving groups for measured rates, one per module; without groups if HERD has no plan or no
/// rate is positive.
HerdPlan serving_groups_for(const ServingContext& context, const HerdPlannerParams& params, int max_batch,
                            const std::vector<double>& module_rps);

/// Returns HERD's serving groups of a cell for which is_for_herd() is true. Model m is module m. Throws
/// InputError with HERD's reason if there is no plan, and if the plan would have more groups than a plan may
/// have.
HerdPlan serving_groups(const ServingContext& context, const HerdPlannerParams& params, int max_batch);

/// Returns `groups` as a plan of the engine, with batches of at most `max_batch` and the models' shares.
Plan plan_of(const ServingContext& context, const HerdPlan& groups, int max_batch);

/// Returns the share of each stream of the model that enters at `entry`, by Visit::stream, and 0 for streams
/// of other models. Streams whose numbers are equal modulo 65,536 are in one share. Streams without a rate
/// come last, so that every share has a rate if there are as many streams with one.
std::vector<std::uint32_t> shares_of_streams(std::span<const Stream> streams, ModuleId entry, int shares,
                                             HerdSplit split);

/// Returns the group of each share of that model, in the order of the groups (WorkerGroup::shares).
std::vector<GroupId> groups_of_shares(const Plan& plan, ModuleId model);

/// Sends a model's visits to the groups of their streams' shares, as the plan in force divides them. While a
/// group has no workers, its shares go to the group of the next share whose group has some.
class ShareRouter final : public Router {
 public:
  /// Divides by the rates of `streams`, which outlive the router.
  ShareRouter(std::span<const Stream> streams, ModuleId model, HerdSplit split)
      : streams_(streams), model_(model), split_(split) {}

  void on_plan(const Plan& plan) override;
  /// Sets the share of each stream, by Visit::stream, and the group of each share, as on_plan() does.
  void divide(std::vector<std::uint32_t> share_of, std::vector<GroupId> group_of);
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override;

 private:
  /// Returns the queue of the first group that has one, from the share's own group on, and stores it in
  /// `place_`.
  std::uint32_t find_queue(std::uint32_t share, std::span<const QueueView> queues);

  std::span<const Stream> streams_;
  ModuleId model_;
  HerdSplit split_;
  std::vector<std::uint32_t> share_of_;
  std::vector<GroupId> group_of_;
  std::vector<std::uint32_t> place_;  ///< index of the queue that was last found for each share
};

}  // namespace harness
