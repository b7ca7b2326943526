// The arrival rate of one model, by samples.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "harness/core/types.h"

namespace harness {

/// The mean of the last 100 counts of 50 ms each (nexuslb, rankmt/common.h). An interval is sampled when it
/// has ended. Intervals before the first arrival do not count. Intervals begin at time 0.
class RateMeter {
 public:
  static constexpr TimeNs kSampleNs = 50 * kNsPerMs;
  static constexpr std::size_t kWindow = 100;

  void count(TimeNs now) {
    end_intervals(now);
    ++counter_;
  }
  /// Returns the rate in requests/s, or nothing while there is no sample.
  std::optional<double> rate_rps(TimeNs now) {
    end_intervals(now);
    if (samples_ == 0) return std::nullopt;
    return static_cast<double>(sum_) / (static_cast<double>(samples_) * ns_to_s(kSampleNs));
  }
  /// Returns the current interval's number, which changes when a sample is added.
  TimeNs interval() const { return interval_; }

 private:
  void end_intervals(TimeNs now) {
    const TimeNs current = now / kSampleNs;
    if (current <= interval_) return;
    TimeNs ended = current - interval_;
    interval_ = current;
    if (samples_ == 0 && counter_ == 0) return;
    add(counter_);
    counter_ = 0;
    for (ended = std::min(ended - 1, static_cast<TimeNs>(kWindow)); ended > 0; --ended) add(0);
  }
  void add(std::uint32_t arrivals) {
    if (samples_ == kWindow) {
      sum_ -= ring_[next_];
    } else {
      ++samples_;
    }
    ring_[next_] = arrivals;
    sum_ += arrivals;
    next_ = (next_ + 1) % kWindow;
  }

  std::array<std::uint32_t, kWindow> ring_{};
  std::size_t samples_ = 0;
  std::size_t next_ = 0;
  std::uint64_t sum_ = 0;
  TimeNs interval_ = 0;  ///< number of the interval that is counted
  std::uint32_t counter_ = 0;
};

}  // namespace harness
