#include "harness/engine/dispatch/module_meter.h"

#include <algorithm>

#include "harness/record/run/arrival_variation.h"

namespace harness {

ModuleMeter::ModuleMeter(std::size_t modules, const WorkerTable& workers, Accounting& accounting)
    : workers_(workers), accounting_(accounting), counts_(modules) {
  accounting.count_gaps();
}

void ModuleMeter::add_worker_time(TimeNs now, const Plan& plan) {
  for (; seen_ < workers_.size(); ++seen_) present_.push_back(seen_);
  for (const WorkerId worker : present_) {
    const WorkerState& state = workers_[worker];
    const TimeNs able_ns = std::min(state.totals.removed_ns, now) - std::max(state.totals.ready_ns, at_ns_);
    if (able_ns <= 0) continue;
    if (plan.groups.empty()) {
      counts_[state.group].able_ns += able_ns;
    } else {
      for (const ModuleId module : plan.groups[state.group].modules) counts_[module].able_ns += able_ns;
    }
  }
  std::erase_if(present_, [&](WorkerId worker) { return workers_[worker].totals.removed_ns <= now; });
}

std::vector<ModuleStatistics> ModuleMeter::take(TimeNs now, std::span<const std::uint64_t> arrived,
                                                const Plan& plan) {
  add_worker_time(now, plan);
  at_ns_ = now;
  std::vector<ModuleStatistics> result(counts_.size());
  for (ModuleId m = 0; m < counts_.size(); ++m) {
    const ModuleTotals& totals = accounting_.record().modules[m];
    std::uint64_t left = totals.done + totals.cancelled;
    for (const std::uint64_t dropped : totals.dropped) left += dropped;
    ModuleStatistics& module = result[m];
    module.present = arrived[m] - left;
    Counts& counts = counts_[m];
    if (counts.waited > 0) module.wait_ms = ns_to_ms(counts.wait_ns) / static_cast<double>(counts.waited);
    if (counts.able_ns > 0)
      module.busy_share = static_cast<double>(counts.busy_ns) / static_cast<double>(counts.able_ns);
    const GapTotals gaps = totals.gaps;
    const GapTotals since{gaps.count - counts.gaps.count, gaps.sum_ns - counts.gaps.sum_ns,
                          gaps.squares_ns2 - counts.gaps.squares_ns2};
    module.arrival_cv = variation_of(since);
    module.gaps = since.count;
    if (since.count > 0) module.gap_ms = ns_to_ms(since.sum_ns) / static_cast<double>(since.count);
    counts = {};
    counts.gaps = gaps;
  }
  return result;
}

}  // namespace harness
