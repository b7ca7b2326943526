#include "harness/record/run/worker_metrics.h"

#include <algorithm>
#include <vector>

#include "harness/record/run/no_value.h"

namespace harness {
namespace {

constexpr double kSecondsPerHour = 3600;

double share(TimeNs part_ns, TimeNs whole_ns) {
  return whole_ns > 0 ? static_cast<double>(part_ns) / static_cast<double>(whole_ns) : kNoValue;
}

/// Returns the time of the measured part before `until` in which the workers could serve, summed over all.
TimeNs worker_time_until(const RunRecord& record, TimeNs until) {
  TimeNs sum_ns = 0;
  for (const WorkerTotals& worker : record.workers)
    sum_ns += able_time_ns(worker, record.measured_from_ns, until);
  return sum_ns;
}

}  // namespace

TimeNs able_time_ns(const WorkerTotals& worker, TimeNs from_ns, TimeNs until_ns) {
  return std::max<TimeNs>(0, std::min(worker.removed_ns, until_ns) - std::max(worker.ready_ns, from_ns));
}

TimeNs worker_time_ns(const RunRecord& record) {
  return worker_time_until(record, std::max(record.duration_ns, record.end_ns));
}

double workers_mean(const RunRecord& record) {
  return share(worker_time_until(record, record.duration_ns), record.measured_ns());
}

double workers_min_10s(const RunRecord& record) {
  constexpr TimeNs kWindowNs = 10 * kNsPerS;
  const TimeNs from_ns = record.measured_from_ns;
  std::vector<TimeNs> served(static_cast<std::size_t>(record.measured_ns() / kWindowNs), 0);
  if (served.empty()) return kNoValue;
  for (const WorkerTotals& worker : record.workers) {
    const TimeNs end = std::min(worker.removed_ns - from_ns, static_cast<TimeNs>(served.size()) * kWindowNs);
    for (TimeNs at = std::max<TimeNs>(worker.ready_ns - from_ns, 0); at < end;) {
      const TimeNs next = std::min(end, (at / kWindowNs + 1) * kWindowNs);
      served[static_cast<std::size_t>(at / kWindowNs)] += next - at;
      at = next;
    }
  }
  return static_cast<double>(*std::min_element(served.begin(), served.end())) / kWindowNs;
}

double cost_usd(const RunRecord& record, TimeNs from_ns, TimeNs to_ns) {
  double usd = record.workers.empty() ? kNoValue : 0;
  for (const WorkerTotals& worker : record.workers) {
    if (worker.usd_per_h <= 0) return kNoValue;
    const TimeNs paid_ns = std::min(worker.removed_ns, to_ns) - std::max(worker.added_ns, from_ns);
    if (paid_ns > 0) usd += worker.usd_per_h * ns_to_s(paid_ns) / kSecondsPerHour;
  }
  return usd;
}

double cost_usd(const RunRecord& record) {
  return cost_usd(record, record.measured_from_ns, record.duration_ns);
}

double gpu_hours(const RunRecord& record) {
  TimeNs sum_ns = 0;
  for (const WorkerTotals& worker : record.workers) {
    const TimeNs end_ns = std::min(worker.removed_ns, record.duration_ns);
    sum_ns += std::max<TimeNs>(0, end_ns - std::max(worker.added_ns, record.measured_from_ns)) * worker.gpus;
  }
  return ns_to_s(sum_ns) / kSecondsPerHour;
}

double gpu_utilisation(const RunRecord& record) {
  const TimeNs until_ns = std::max(record.duration_ns, record.end_ns);
  TimeNs busy_ns = 0;
  TimeNs all_ns = 0;
  for (const WorkerTotals& worker : record.workers) {
    busy_ns += worker.busy_ns * worker.gpus;
    all_ns += able_time_ns(worker, record.measured_from_ns, until_ns) * worker.gpus;
  }
  return share(busy_ns, all_ns);
}

}  // namespace harness
