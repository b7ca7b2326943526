// The time that a batch is expected to take: a percentile of the latencies measured last (OSDI'20; released
// code).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// The estimate for one model and batch size. Allocates in the constructor only.
class LatencyEstimate {
 public:
  /// `profile_ns` is the estimate until `window` (1 or more) latencies have been measured; from then on it is
  /// the nearest-rank `percentile` (0..100) of the last `window` of them.
  LatencyEstimate(TimeNs profile_ns, int window, double percentile)
      : estimate_ns_(profile_ns), window_(static_cast<std::size_t>(window)) {
    last_.reserve(window_);
    sorted_.reserve(window_);
    while (static_cast<double>(rank_ + 1) * 100 < percentile * window) ++rank_;
  }

  TimeNs ns() const { return estimate_ns_; }

  void add(TimeNs took_ns) {
    if (last_.size() < window_) {
      last_.push_back(took_ns);
    } else {
      last_[oldest_] = took_ns;
      oldest_ = (oldest_ + 1) % window_;
    }
    if (last_.size() < window_) return;
    sorted_.assign(last_.begin(), last_.end());
    std::nth_element(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(rank_), sorted_.end());
    estimate_ns_ = sorted_[rank_];
  }

 private:
  TimeNs estimate_ns_;
  std::size_t window_;
  std::size_t rank_ = 0;  ///< rank of the percentile among the sorted values, from 0
  std::size_t oldest_ = 0;
  std::vector<TimeNs> last_;
  std::vector<TimeNs> sorted_;  ///< scratch
};

}  // namespace harness
