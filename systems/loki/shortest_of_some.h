// A choice by the visits that are outstanding, for the routers of Loki and Proteus.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/common_routers.h"
#include "harness/serving/router.h"
#include "harness/serving/visit.h"

namespace harness {

/// Chooses the queue with the fewest outstanding visits among some of the queues that a router is shown
/// (RootRouting).
class ShortestOfSome {
 public:
  void clear();
  /// Adds the queue at this index of the queues shown; among equals the first that was added is chosen.
  void add(std::uint32_t index, const QueueView& queue);
  /// Chooses an index for each visit; kNone if no queue was added.
  void choose(TimeNs now, std::span<const Visit> visits, std::span<std::uint32_t> out);

 private:
  std::vector<std::uint32_t> index_;
  std::vector<QueueView> queues_;
  std::unique_ptr<Router> least_outstanding_ = make_least_outstanding_router();
};

}  // namespace harness
