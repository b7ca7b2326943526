// The rows of the plans that took effect: by module, and by group of workers.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "harness/core/types.h"

namespace harness {

/// A module's part of a plan that took effect.
struct PlanRow {
  TimeNs at_ns = 0;
  std::uint16_t module = 0;
  /// Number of workers that can serve from then on; a cold start ends with a row of its own.
  std::uint32_t workers = 0;
  std::uint32_t max_batch = 1;
  TimeNs exec_ns = 0;        ///< execution time of a batch of max_batch
  std::uint16_t device = 0;  ///< kind of its workers, as WorkerTotals::device
  double usd_per_h = std::numeric_limits<double>::quiet_NaN();  ///< price of one worker; NaN: not known
  std::uint32_t cores = 0;  ///< number of cores of each worker; 0: as many as when the profile was measured

  static void list(auto& row, auto&& column) {
    column("at_ns", row.at_ns);
    column("module", row.module);
    column("workers", row.workers);
    column("max_batch", row.max_batch);
    column("exec_ns", row.exec_ns);
    column("device", row.device);
    column("usd_per_h", row.usd_per_h);
    column("cores", row.cores);
  }
};

/// A group of workers of a plan that took effect, and one of the modules that it serves.
struct GroupRow {
  TimeNs at_ns = 0;
  std::uint16_t group = 0;  ///< index of the group in the plan
  std::uint16_t module = 0;
  std::uint32_t workers = 0;    ///< number of the group's workers, for all its modules together
  std::uint32_t max_batch = 1;  ///< largest batch of the module in this group
  TimeNs cycle_ns = 0;          ///< WorkerGroup::cycle_ns
  double share = std::numeric_limits<double>::quiet_NaN();  ///< WorkerGroup::shares; NaN: not planned

  static void list(auto& row, auto&& column) {
    column("at_ns", row.at_ns);
    column("group", row.group);
    column("module", row.module);
    column("workers", row.workers);
    column("max_batch", row.max_batch);
    column("cycle_ns", row.cycle_ns);
    column("share", row.share);
  }
};

/// A module's part of the plan with which a cell began.
struct StartPlan {
  std::uint32_t cell = 0;  ///< index of the cell
  std::string module;      ///< name of the module
  PlanRow row;
};

}  // namespace harness
