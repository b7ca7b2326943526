// The totals of a worker as the files hold them (results/README.md describes every column). Internal to
// record/.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/record/run/run_record.h"
#include "harness/record/run/worker_totals.h"

namespace harness {

/// The totals with the index of their worker.
struct StoredWorker {
  std::uint32_t worker = 0;
  WorkerTotals totals;  ///< totals, with kNotReached in the place of kNever

  static void list(auto& row, auto&& column) {
    column("worker", row.worker);
    WorkerTotals::list(row.totals, column);
  }
};

std::vector<StoredWorker> stored_workers(const RunRecord& record);

}  // namespace harness
