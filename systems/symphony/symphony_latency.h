// The latencies of a model's batches, and the batch size that suits its rate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"

namespace harness {

/// The latency l(b) of a batch of b. No batch is faster than a smaller one, and one above cap() suits no
/// deadline (nexuslb, model_db.cpp).
class SymphonyLatency {
 public:
  static constexpr TimeNs kTooLarge = kNever / 4;

  /// Needs `cap` in 1..profile.max_batch().
  SymphonyLatency(const Profile& profile, int cap)
      : latency_ns_(profile.latency_ns.begin(), profile.latency_ns.begin() + cap) {
    for (std::size_t i = 1; i < latency_ns_.size(); ++i)
      latency_ns_[i] = std::max(latency_ns_[i], latency_ns_[i - 1]);
    latency_ns_.push_back(kTooLarge);
  }

  int cap() const { return static_cast<int>(latency_ns_.size()) - 1; }
  /// Returns l(batch). Needs `batch` >= 1.
  TimeNs of(int batch) const { return latency_ns_[static_cast<std::size_t>(std::min(batch - 1, cap()))]; }
  /// Returns the largest batch that takes at most `budget_ns`, or 0. O(log cap).
  int largest_within(TimeNs budget_ns) const {
    const auto past = std::upper_bound(latency_ns_.begin(), latency_ns_.end() - 1, budget_ns);
    return static_cast<int>(past - latency_ns_.begin());
  }

 private:
  std::vector<TimeNs> latency_ns_;  ///< latency of batches of 1, 2, ...; the last one is kTooLarge
};

/// Returns the target batch size, at least 1 (nexuslb, batch_size_estimator.cpp, without delays). With n GPUs
/// whose batches of b are evenly staggered one starts every l(b)/n. The target is the largest b such that a
/// request that has just missed a batch still ends in time, l(b) (1 + 1/n) <= SLO, n being the number of GPUs
/// that the rate needs at b. If one GPU is enough, it is the largest b such that b requests arrive and run
/// within the SLO, b / rate + l(b) <= SLO. Without a rate it is the largest b with l(b) <= SLO / 2. O(cap).
int target_batch(const SymphonyLatency& latency, TimeNs slo_ns, std::optional<double> rate_rps);

}  // namespace harness
