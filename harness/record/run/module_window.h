// Counts of what happened at a module in a window of time.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// The events at one module in one window, by the time of the event.
struct ModuleWindow {
  std::uint32_t arrived = 0;  ///< visits that arrived at the module
  std::uint32_t started = 0;  ///< visits whose batch started
  std::uint32_t dropped = 0;
  std::uint32_t batches = 0;  ///< batches started
  TimeNs queueing_ns = 0;     ///< sum over the started visits of the time from arrival to join
  TimeNs wait_ns = 0;         ///< sum over the started visits of the time from join to start

  ModuleWindow& operator-=(const ModuleWindow& part);

  static void list(auto& row, auto&& column) {
    column("arrived", row.arrived);
    column("started", row.started);
    column("dropped", row.dropped);
    column("batches", row.batches);
    column("queueing_ns", row.queueing_ns);
    column("wait_ns", row.wait_ns);
  }
};

}  // namespace harness
