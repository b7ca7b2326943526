#include "harness/views/least_times.h"

#include <algorithm>

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

}  // namespace harness
