#include "harness/record/run/module_metrics.h"

#include <algorithm>
#include <numeric>

#include "harness/record/run/no_value.h"
#include "harness/record/run/worker_metrics.h"

namespace harness {

std::vector<double> mean_queues(const RunRecord& record) {
  const TimeNs until_ns = std::max(record.duration_ns, record.end_ns);
  const auto time_ns = static_cast<double>(until_ns - record.measured_from_ns);
  std::vector<double> queues;
  for (const ModuleTotals& module : record.modules)
    queues.push_back(time_ns > 0 ? static_cast<double>(module.queueing_ns + module.wait_ns) / time_ns : 0);
  return queues;
}

double utilisation_spread(const RunRecord& record) {
  if (record.shares_workers || record.modules.size() < 2) return kNoValue;
  const TimeNs until_ns = std::max(record.duration_ns, record.end_ns);
  std::vector<TimeNs> busy_ns(record.modules.size(), 0);
  std::vector<TimeNs> able_ns(record.modules.size(), 0);
  for (const WorkerTotals& worker : record.workers) {
    busy_ns[worker.module] += worker.busy_ns;
    able_ns[worker.module] += able_time_ns(worker, record.measured_from_ns, until_ns);
  }
  std::vector<double> shares;
  for (std::size_t m = 0; m < busy_ns.size(); ++m) {
    if (able_ns[m] > 0) shares.push_back(static_cast<double>(busy_ns[m]) / static_cast<double>(able_ns[m]));
  }
  if (shares.size() < 2) return kNoValue;
  const auto [least, largest] = std::ranges::minmax(shares);
  return largest - least;
}

double lockstep(const BatchEnds& ends, std::uint32_t workers) {
  constexpr std::uint32_t kMinWorkers = 8;
  constexpr std::uint64_t kMinEnds = 10;  // of each worker
  if (workers < kMinWorkers || ends.count < kMinEnds * workers) return kNoValue;
  const auto count = static_cast<double>(ends.count);
  const auto slots = static_cast<double>(ends.last_slot + 1);
  const double others = workers - 1.0;
  const double by_chance = count / workers * others / slots;
  if (by_chance >= others / 2) return kNoValue;
  return (2 * static_cast<double>(ends.pairs) / count - by_chance) / (others - by_chance);
}

double lockstep(const RunRecord& record) {
  if (record.shares_workers) return kNoValue;
  std::vector<std::uint32_t> workers(record.modules.size(), 0);
  for (const PlanRow& row : record.plans) workers[row.module] = std::max(workers[row.module], row.workers);
  double largest = kNoValue;
  for (std::size_t m = 0; m < workers.size(); ++m) {
    const double own = lockstep(record.modules[m].ends, workers[m]);
    if (own == own) largest = std::max(own, largest == largest ? largest : 0.0);
  }
  return largest;
}

double queue_mean(const RunRecord& record) {
  const std::vector<double> queues = mean_queues(record);
  if (queues.empty()) return kNoValue;
  return std::accumulate(queues.begin(), queues.end(), 0.0) / static_cast<double>(queues.size());
}

double longest_over_shortest_queue(const RunRecord& record) {
  const std::vector<double> queues = mean_queues(record);
  if (queues.size() < 2) return kNoValue;
  const auto [shortest, longest] = std::ranges::minmax(queues);
  return shortest > 0 ? longest / shortest : kNoValue;
}

double earlier_queue_share(const RunRecord& record) {
  const std::vector<double> queues = mean_queues(record);
  const std::size_t half = queues.size() / 2;
  const double sum = std::accumulate(queues.begin(), queues.end(), 0.0);
  if (half == 0 || sum <= 0) return kNoValue;
  const double middle = queues.size() % 2 == 1 ? queues[half] / 2 : 0;
  return std::accumulate(queues.begin(), queues.begin() + static_cast<std::ptrdiff_t>(half), middle) / sum;
}

namespace {

/// Returns count / number of visits that came to all modules.
double share_of_visits(const RunRecord& record, std::uint64_t count) {
  std::uint64_t arrived = 0;
  for (const ModuleTotals& module : record.modules) arrived += module.arrived;
  return arrived > 0 ? static_cast<double>(count) / static_cast<double>(arrived) : kNoValue;
}

}  // namespace

double visit_drop_rate(const RunRecord& record) {
  std::uint64_t dropped = 0;
  for (const ModuleTotals& module : record.modules)
    dropped = std::accumulate(module.dropped.begin(), module.dropped.end(), dropped);
  return share_of_visits(record, dropped);
}

double reroute_rate(const RunRecord& record) {
  if (record.rerouted_visits < 0) return kNoValue;
  return share_of_visits(record, static_cast<std::uint64_t>(record.rerouted_visits));
}

}  // namespace harness
