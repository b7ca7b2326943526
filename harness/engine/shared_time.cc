#include "harness/engine/shared_time.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace harness {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// Whether workers serve several modules: at the start modules have more than there are.
bool shares_workers(const RunSpec& spec, const RunRecord& record) {
  std::uint64_t workers = 0;
  for (const PlanRow& row : record.plans) workers += row.at_ns == 0 ? row.workers : 0;
  return workers > static_cast<std::uint64_t>(spec.workers);
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
  if (!shares_workers(spec, record) || spec.world.jitter != Jitter::kOff) return kNoLimit;
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
  double left_ns = static_cast<double>(last_due_ns) * spec.workers * (1 + 1e-9) + 1;
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
