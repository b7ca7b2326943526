// The latencies of a model's batches, for FLEX.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"

namespace harness {

/// The latencies of one model for batches of 1..cap().
class FlexLatency {
 public:
  /// Needs `cap` in 1..profile.max_batch().
  FlexLatency(const Profile& profile, int cap)
      : latency_ns_(profile.latency_ns.begin(), profile.latency_ns.begin() + cap), least_ns_(latency_ns_) {
    for (std::size_t i = least_ns_.size() - 1; i > 0; --i) {
      least_ns_[i - 1] = std::min(least_ns_[i - 1], least_ns_[i]);
    }
  }

  int cap() const { return static_cast<int>(latency_ns_.size()); }
  TimeNs of(int batch) const { return latency_ns_[static_cast<std::size_t>(batch - 1)]; }
  /// Returns the least latency of the batches of `batch` or more visits. It never falls with the batch size,
  /// as latencies themselves may.
  TimeNs least_from(int batch) const { return least_ns_[static_cast<std::size_t>(batch - 1)]; }
  /// Returns the least latency of all batches.
  TimeNs least() const { return least_ns_.front(); }
  /// Returns the largest batch of at most `most` visits whose latency is within `budget_ns`, or 0.
  int largest_within(TimeNs budget_ns, int most) const {
    const auto past = std::upper_bound(least_ns_.begin(), least_ns_.end(), budget_ns);
    int batch = std::min(static_cast<int>(past - least_ns_.begin()), most);
    while (batch > 0 && of(batch) > budget_ns) --batch;
    return batch;
  }

 private:
  std::vector<TimeNs> latency_ns_;
  std::vector<TimeNs> least_ns_;
};

}  // namespace harness
