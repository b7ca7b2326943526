#include "harness/record/hdf5/stored_worker.h"

#include "harness/record/hdf5/stored_visit.h"

namespace harness {

std::vector<StoredWorker> stored_workers(const RunRecord& record) {
  std::vector<StoredWorker> rows;
  for (const WorkerTotals& totals : record.workers) {
    StoredWorker row{static_cast<std::uint32_t>(rows.size()), totals};
    if (totals.added_ns == kNever) row.totals.added_ns = kNotReached;
    if (totals.ready_ns == kNever) row.totals.ready_ns = kNotReached;
    if (totals.removed_ns == kNever) row.totals.removed_ns = kNotReached;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace harness
