// SHEPHERD's request router (section 3.2): each stream's requests go to the serving group that it is in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/stream.h"
#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "harness/serving/visit.h"
#include "systems/shepherd/herd_planner_params.h"

namespace harness {

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
