// A visit that is under way or runs, as the engine keeps it.
#pragma once

#include <cstdint>

#include "harness/core/types.h"
#include "harness/serving/visit.h"

namespace harness {

/// The place of a live visit. kWaiting: it waits before a merge for other branches that have not come yet;
/// its queue is chosen already.
enum class VisitState : std::uint8_t { kWaiting, kTravelling, kQueued, kForming };

/// A live visit; `visit.id` is its slot.
struct alignas(64) VisitRecord {
  Visit visit;
  /// GPU time of the batches that have run with it; in a chain also at earlier modules.
  TimeNs gpu_ns = 0;
  std::uint32_t request_slot = 0;
  QueueId queue = kNone;
  std::uint16_t index = 0;   ///< index of the visit in its request
  std::uint16_t parent = 0;  ///< index of the visit that caused it
  VisitState state = VisitState::kTravelling;
  /// True if its request ended elsewhere: it ends when it arrives, when its forming batch is lost, or when
  /// its running one is preempted.
  bool cancelled = false;
  bool live = false;     ///< true while its request has it
  bool counted = false;  ///< true if its arrival at this module is counted (a rerouted visit arrives again)
};

}  // namespace harness
