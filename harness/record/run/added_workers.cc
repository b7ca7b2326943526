#include "harness/record/run/added_workers.h"

#include <algorithm>
#include <cstdint>

#include "harness/record/run/worker_metrics.h"

namespace harness {
namespace {

/// True if the worker was added after the start, during the measured part or later.
bool is_added(const RunRecord& record, const WorkerTotals& worker) {
  return worker.added_ns > 0 && worker.added_ns >= record.measured_from_ns && worker.added_ns != kNever;
}

}  // namespace

AddedWorkers added_workers(const RunRecord& record) {
  AddedWorkers added;
  TimeNs memory_ns = 0;
  TimeNs disk_ns = 0;
  std::uint64_t started = 0;  // workers that started from memory and came to serve
  std::uint64_t from_disk = 0;
  const TimeNs until_ns = std::max(record.duration_ns, record.end_ns);
  for (const WorkerTotals& worker : record.workers) {
    if (!is_added(record, worker)) continue;
    ++added.count;
    if (worker.from_memory) ++added.from_memory;
    if (able_time_ns(worker, 0, until_ns) == 0) continue;  // taken away, or the run ended, in its start-up
    ++(worker.from_memory ? started : from_disk);
    (worker.from_memory ? memory_ns : disk_ns) += worker.ready_ns - worker.added_ns;
  }
  if (started > 0) added.ms_from_memory = ns_to_ms(memory_ns) / static_cast<double>(started);
  if (from_disk > 0) added.ms_from_disk = ns_to_ms(disk_ns) / static_cast<double>(from_disk);
  return added;
}

double first_added_s(const RunRecord& record) {
  double first_s = kNoValue;
  for (const WorkerTotals& worker : record.workers) {
    if (!is_added(record, worker)) continue;
    if (!(first_s <= ns_to_s(worker.added_ns))) first_s = ns_to_s(worker.added_ns);
  }
  return first_s;
}

}  // namespace harness
