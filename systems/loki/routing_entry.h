// An entry of Loki's routing tables (section 5.1), and the choice of one by a number.
#pragma once

#include <cstdint>
#include <span>

#include "harness/core/types.h"

namespace harness {

/// An entry of a routing table. `worker` is a place in the workers that the tables were made from.
struct RoutingEntry {
  std::uint32_t worker = 0;
  double probability = 0;
  double up_to = 0;    ///< sum of the probabilities to here; 1 at the end unless some are to be dropped
  TimeNs exec_ns = 0;  ///< execution time of the worker
};

/// Returns the entry of `table` on which the number, in [0, 1), falls; null if the visit is to be dropped.
const RoutingEntry* draw(std::span<const RoutingEntry> table, double number);

}  // namespace harness
