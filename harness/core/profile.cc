#include "harness/core/profile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/core/shared_service.h"

namespace harness {
namespace {

/// Returns the nearest whole time, at least 1 ns.
TimeNs rounded_ns(double ns) { return std::max<TimeNs>(1, static_cast<TimeNs>(ns + 0.5)); }

/// Returns the number of visits that one server takes: its sequences or, if a visit ends at its first token,
/// the prompts that fit into a step. Other visits wait in the module's queue, where they can still be
/// dropped.
int visits_at_once(const SharedService& shared) {
  if (!shared.ends_at_first_token) return shared.slots;
  const double prompts = std::ceil(shared.chunk_tokens / mean_of(shared.input));
  return static_cast<int>(std::clamp(prompts, 1.0, static_cast<double>(shared.slots)));
}

}  // namespace

TimeNs latency_with_cores(const Profile& profile, int batch, int cores) {
  const TimeNs measured_ns = profile.latency(batch);
  if (cores == 0 || profile.cpu_ns == 0 || cores == profile.cores) return measured_ns;
  const auto one_ns = static_cast<double>(profile.latency(1));
  const auto cpu_ns = static_cast<double>(profile.cpu_ns);
  const double with_cores_ns = one_ns - cpu_ns / profile.cores + cpu_ns / cores;
  return rounded_ns(static_cast<double>(measured_ns) * (with_cores_ns / one_ns));
}

double best_throughput_rps(const Profile& profile, int cap) {
  return best_throughput_within_rps(profile, cap, std::numeric_limits<TimeNs>::max());
}

double best_throughput_within_rps(const Profile& profile, int cap, TimeNs most_ns) {
  double best = 0;
  for (int batch = 1; batch <= std::min(cap, profile.max_batch()); ++batch) {
    if (profile.latency(batch) <= most_ns) best = std::max(best, batch / ns_to_s(profile.latency(batch)));
  }
  return best;
}

std::optional<double> goodput_rps(const Profile& profile, TimeNs slo_ns) {
  const std::vector<GoodputPoint>& points = profile.goodput;
  const auto above =
      std::find_if(points.begin(), points.end(), [&](const auto& point) { return point.slo_ns >= slo_ns; });
  if (above == points.end()) return std::nullopt;
  if (above->slo_ns == slo_ns) return above->rps;
  if (above == points.begin()) return std::nullopt;
  const GoodputPoint& below = *(above - 1);
  const double share =
      static_cast<double>(slo_ns - below.slo_ns) / static_cast<double>(above->slo_ns - below.slo_ns);
  return below.rps + share * (above->rps - below.rps);
}

double worker_rps(const Profile& profile, int batch) {
  if (profile.service == Service::kShared) {
    const SharedService& shared = profile.shared;
    return 1e9 / work_ns(shared, mean_of(shared.input), mean_of(shared.output)) / fixed_workers(profile);
  }
  return batch / ns_to_s(profile.latency(batch));
}

int fixed_workers(const Profile& profile) {
  switch (profile.service) {
    case Service::kBatch:
      return 0;
    case Service::kShared:
      return visits_at_once(profile.shared);
    case Service::kDelay:
      return profile.delay.slots;
  }
  return 0;
}

Profile scaled(const Profile& profile, double factor) {
  Profile result = profile;
  if (profile.service == Service::kDelay) return result;
  if (profile.service == Service::kShared) result.shared = scaled(profile.shared, factor);
  for (TimeNs& latency : result.latency_ns) {
    latency = rounded_ns(static_cast<double>(latency) * factor);
  }
  if (profile.cpu_ns > 0) result.cpu_ns = rounded_ns(static_cast<double>(profile.cpu_ns) * factor);
  for (GoodputPoint& point : result.goodput) {
    point.slo_ns = static_cast<TimeNs>(static_cast<double>(point.slo_ns) * factor + 0.5);
    point.rps /= factor;
  }
  return result;
}

}  // namespace harness
