// Counts of the batches that end together, which tell whether workers are in step.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// The ends of a module's batches that ran to their end, and the number of pairs of ends that come together.
struct BatchEnds {
  /// Time is divided into slots of 2^kSlotBits ns, about 1 ms.
  static constexpr int kSlotBits = 20;

  std::uint64_t count = 0;
  std::uint64_t pairs = 0;  ///< number of pairs of ends in the same slot
  std::int64_t last_slot = -1;
  std::uint64_t others_in_slot = 0;  ///< ends in last_slot before the last one

  void add(TimeNs ended_ns) {
    const std::int64_t slot = ended_ns >> kSlotBits;
    others_in_slot = slot == last_slot ? others_in_slot + 1 : 0;
    pairs += others_in_slot;
    last_slot = slot;
    ++count;
  }
};

}  // namespace harness
