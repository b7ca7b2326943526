#include "harness/core/profile.h"

#include <algorithm>

namespace harness {

double best_throughput_rps(const Profile& profile, int cap) {
  double best = 0;
  for (int batch = 1; batch <= std::min(cap, profile.max_batch()); ++batch) {
    best = std::max(best, batch / ns_to_s(profile.latency(batch)));
  }
  return best;
}

double worker_rps(const Profile& profile, int batch) {
  if (profile.service == Service::kShared) {
    const SharedService& shared = profile.shared;
    return 1e9 / work_ns(shared, mean_of(shared.input), mean_of(shared.output)) / shared.slots;
  }
  return batch / ns_to_s(profile.latency(batch));
}

int fixed_workers(const Profile& profile) {
  switch (profile.service) {
    case Service::kBatch:
      return 0;
    case Service::kShared:
      return profile.shared.slots;
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
    latency = std::max<TimeNs>(1, static_cast<TimeNs>(static_cast<double>(latency) * factor + 0.5));
  }
  return result;
}

}  // namespace harness
