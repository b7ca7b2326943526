#include "harness/views/explain_times.h"

#include <algorithm>
#include <cmath>

#include "harness/engine/bounds/offline_schedule.h"
#include "harness/experiment/storing/replay_results.h"

namespace harness {
namespace {

/// Returns the time of the shortest batch with the most cores that any plan gives a worker of the module.
TimeNs shortest_batch_ns(const Profile& profile, const RunRecord& record, std::size_t module) {
  std::uint32_t cores = static_cast<std::uint32_t>(profile.cores);
  for (const PlanRow& row : record.plans) {
    if (row.module == module) cores = std::max(cores, row.cores);
  }
  TimeNs least = kNever;
  for (int batch = 1; batch <= profile.max_batch(); ++batch)
    least = std::min(least, latency_with_cores(profile, batch, static_cast<int>(cores)));
  return least;
}

}  // namespace

LeastTimes::LeastTimes(const RunSpec& spec, const RunRecord& record)
    : pipeline_(spec.pipeline),
      profiles_(spec.profiles),
      routes_(spec.pipeline, spec.seed),
      sizes_(spec.seed, spec.profiles, spec.trace_tokens),
      seed_(spec.seed),
      hop_ns_(ms_to_ns(spec.world.network_delay_ms)) {
  for (std::size_t m = 0; m < profiles_.size(); ++m)
    batch_ns_.push_back(shortest_batch_ns(profiles_[m], record, m));
}

TimeNs LeastTimes::exec_ns(RequestId request, ModuleId module) const {
  const Profile& profile = profiles_[module];
  if (profile.service == Service::kDelay) return delay_of(profile.delay, seed_, request, module);
  if (profile.service == Service::kBatch) return batch_ns_[module];
  const TokenCount tokens = sizes_.of(request, module);
  return static_cast<TimeNs>(alone_ns(profile.shared, tokens.input, tokens.output));
}

std::optional<TimeNs> LeastTimes::from_ns(RequestId request, ModuleId module) const {
  if (pipeline_.has_tasks()) return std::nullopt;
  std::vector<double> cost;
  for (ModuleId m = 0; m < profiles_.size(); ++m)
    cost.push_back(static_cast<double>(exec_ns(request, m) + hop_ns_));
  const Route& route = routes_[routes_.dynamic() ? routes_.of(request) : 0];
  return exec_ns(request, module) + static_cast<TimeNs>(longest_after(pipeline_, route, cost)[module]);
}

std::optional<TimeNs> LeastTimes::whole_ns(RequestId request, ModuleId entry) const {
  const std::optional<TimeNs> from = from_ns(request, entry);
  return from ? std::optional(*from + hop_ns_) : std::nullopt;
}

OfflineAnswer offline_answer(const RunSpec& spec, const RunRecord& record,
                             const std::vector<std::uint64_t>& requests) {
  OfflineAnswer answer;
  answer.why_none = why_no_offline_schedule(spec, record);
  if (!answer.why_none.empty()) return answer;
  std::vector<ScheduledVisit> visits;
  answer.in_time = offline_schedule(spec, record, &visits);
  const auto place = [](const ScheduledVisit& visit, std::uint64_t request) {
    return visit.request < request;
  };
  for (const std::uint64_t request : requests) {
    auto visit = std::lower_bound(visits.begin(), visits.end(), request, place);
    for (; visit != visits.end() && visit->request == request; ++visit)
      answer.end_ns[request] = std::max(answer.end_ns[request], visit->end_ns);
  }
  return answer;
}

CellTimes cell_times(const std::string& path, const CellContents& cell, const std::string& folder,
                     const std::vector<std::uint64_t>& requests) {
  CellTimes times;
  RunRecord record = cell.record;
  record.shares_workers = !record.groups.empty();
  try {
    RecordedCell recorded(path, cell.summary.cell.index, cell.summary.cell.effective_toml, folder);
    const PreparedCell prepared = recorded.prepare();
    if (!prepared.why.empty())
      throw input_error({path, 0, ""}, prepared.why, "a cell that this build can run");
    RunSpec spec = recorded.make_run(prepared);
    const auto is_beyond = [&record](const PlanRow& row) { return row.workers > record.workers.size(); };
    if (spec.profiles.size() != record.modules.size() ||
        std::any_of(record.plans.begin(), record.plans.end(), is_beyond))
      throw input_error({path, 0, ""}, "another pipeline or other workers", "those of the run");
    times.least.emplace(spec, record);
    times.may_be_shorter = spec.world.jitter != Jitter::kOff || is_live(prepared);
    times.offline = offline_answer(spec, record, requests);
  } catch (const InputError& error) {
    times.why_none = error.what();
    times.offline.why_none = "the cell cannot be made again here";
  }
  return times;
}

}  // namespace harness
