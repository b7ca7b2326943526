// The counts of windows and the samples of the queue as the files hold them (results/README.md describes
// every column). Internal to record/.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/types.h"
#include "harness/record/run/module_window.h"
#include "harness/record/run/run_record.h"
#include "harness/record/run/window_counts.h"

namespace harness {

/// The counts of a window, with its start.
struct StoredWindow {
  TimeNs start_ns = 0;
  WindowCounts counts;

  static void list(auto& row, auto&& column) {
    column("start_ns", row.start_ns);
    WindowCounts::list(row.counts, column);
  }
};

/// The counts of a module in a window, with both.
struct StoredModuleWindow {
  TimeNs start_ns = 0;
  std::uint16_t module = 0;
  ModuleWindow window;

  static void list(auto& row, auto&& column) {
    column("start_ns", row.start_ns);
    column("module", row.module);
    ModuleWindow::list(row.window, column);
  }
};

/// A sample of the queue, with its time.
struct StoredSample {
  TimeNs at_ns = 0;
  std::int64_t waiting = 0;

  static void list(auto& row, auto&& column) {
    column("at_ns", row.at_ns);
    column("waiting", row.waiting);
  }
};

std::vector<StoredWindow> stored_windows(const RunRecord& record);
std::vector<StoredModuleWindow> stored_module_windows(const RunRecord& record);
std::vector<StoredSample> stored_samples(const RunRecord& record);

}  // namespace harness
