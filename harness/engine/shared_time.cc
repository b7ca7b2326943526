#include "harness/engine/shared_time.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace harness {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// For which workers can serve until then, all together.
double worker_ns(const RunRecord& record, TimeNs until_ns) {
  double sum = 0;
  for (const WorkerTotals& worker : record.workers)
    sum += static_cast<double>(std::max<TimeNs>(0, std::min(worker.removed_ns, until_ns) - worker.ready_ns));
  return sum;
}

/// By module the largest cap of any plan.
std::vector<int> largest_caps(const RunRecord& record, std::size_t modules) {
  std::vector<int> caps(modules, 0);
  for (const PlanRow& row : record.plans)
    caps[row.module] = std::max(caps[row.module], static_cast<int>(row.batch_cap));
  return caps;
}

}  // namespace

std::uint64_t shared_time_bound(const RunSpec& spec, const RunRecord& record,
                                std::span<const std::uint64_t> most, TimeNs last_due_ns) {
  if (!record.shares_workers || spec.world.jitter != Jitter::kOff) return kNoLimit;
  const std::vector<int> caps = largest_caps(record, spec.profiles.size());
  for (std::size_t m = 0; m < spec.profiles.size(); ++m) {
    const bool chooses = spec.pipeline.modules[m].branches == Branches::kOne;
    if (spec.profiles[m].service != Service::kBatch || chooses) return kNoLimit;
  }
  struct Kind {
    double work_ns = 0;
    std::uint64_t most = 0;
  };
  std::vector<Kind> kinds(spec.profiles.size());
  const std::vector<ModuleId> entries = entries_of(spec.pipeline);
  for (std::size_t m = 0; m < spec.profiles.size(); ++m) {
    kinds[entries[m]].work_ns += 1e9 / best_throughput_within_rps(spec.profiles[m], caps[m], spec.slo_ns);
    kinds[m].most = most[m];
  }
  std::sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.work_ns < b.work_ns; });
  // The rounding of the sums is far below one request.
  double left_ns = worker_ns(record, last_due_ns) * (1 + 1e-9) + 1;
  std::uint64_t bound = 0;
  for (const Kind& kind : kinds) {
    if (kind.most == 0) continue;
    const double fits = left_ns / kind.work_ns;
    if (fits < static_cast<double>(kind.most)) return bound + static_cast<std::uint64_t>(fits);
    bound += kind.most;
    left_ns -= static_cast<double>(kind.most) * kind.work_ns;
  }
  return bound;
}

}  // namespace harness
