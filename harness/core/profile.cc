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

Profile scaled(const Profile& profile, double factor) {
  Profile result = profile;
  for (TimeNs& latency : result.latency_ns) {
    latency = std::max<TimeNs>(1, static_cast<TimeNs>(static_cast<double>(latency) * factor + 0.5));
  }
  return result;
}

}  // namespace harness
