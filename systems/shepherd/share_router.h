// SHEPHERD's request router (section 3.2): each stream's requests go to the serving group that it is in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/stream.h"
#include "harness/serving/router.h"
#include "systems/shepherd/herd_input.h"

namespace harness {

/// The share of each stream of the model that enters at `entry`, by Visit::stream: streams whose numbers are
/// equal modulo 65,536 are in one share. Those without a rate come last, so that there is no share without a
/// rate while there are as many streams with one. Of streams of other models: 0.
std::vector<std::uint32_t> shares_of_streams(std::span<const Stream> streams, ModuleId entry, int shares,
                                             HerdSplit split);

/// By share of that model: its group, in the order of the groups.
std::vector<GroupId> groups_of_shares(const HerdPlan& plan, int model);

/// Sends a model's visits to the groups of their streams' shares. While a group has no workers, its shares go
/// to that of the next share that has some.
class ShareRouter final : public Router {
 public:
  /// `share_of`: by Visit::stream; `group_of`: by share.
  ShareRouter(std::vector<std::uint32_t> share_of, std::vector<GroupId> group_of)
      : share_of_(std::move(share_of)), group_of_(std::move(group_of)), place_(group_of_.size(), 0) {}

  void route(TimeNs now, std::span<const Visit> visits, std::span<const DomainView> domains,
             std::span<std::uint32_t> out) override;

 private:
  std::uint32_t domain_of(std::uint32_t share, std::span<const DomainView> domains);

  std::vector<std::uint32_t> share_of_;
  std::vector<GroupId> group_of_;
  std::vector<std::uint32_t> place_;  ///< by share: where its domain was last found
};

}  // namespace harness
