// The totals of a worker over a run.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// The life of one worker.
struct WorkerTotals {
  std::uint16_t module = 0;
  std::uint16_t device = 0;  ///< index of its kind of device in the cell's settings
  double usd_per_h = 0;      ///< price of all its GPUs together; 0: not known
  std::uint16_t gpus = 1;    ///< number of GPUs that it takes
  bool from_memory = false;  ///< true if it started from parameters kept in its server's memory
  TimeNs added_ns = 0;       ///< time from which it has its device and is paid for; kNever: it never had one
  TimeNs ready_ns = 0;       ///< time from which it can serve
  TimeNs removed_ns = kNever;  ///< time of its removal; kNever: it stayed to the end of the run
  TimeNs busy_ns = 0;
  std::uint64_t batches = 0;
  std::uint64_t visits = 0;
  /// GPU time: busy_ns on each of its GPUs; the work of its visits if it is a slot of a shared server; 0 if
  /// it is a thread.
  TimeNs gpu_ns = 0;

  /// Lists all columns but gpu_ns, which is not stored.
  static void list(auto& row, auto&& column) {
    column("module", row.module);
    column("device", row.device);
    column("usd_per_h", row.usd_per_h);
    column("gpus", row.gpus);
    column("from_memory", row.from_memory);
    column("added_ns", row.added_ns);
    column("ready_ns", row.ready_ns);
    column("removed_ns", row.removed_ns);
    column("busy_ns", row.busy_ns);
    column("batches", row.batches);
    column("visits", row.visits);
  }
};

}  // namespace harness
