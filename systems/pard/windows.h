// PARD's memory of a module: its recent queueing delay, its worst latency, and on which side of load 1 it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "systems/pard/pard_state.h"

namespace harness {

// The recent mean queueing delay of a module (PARD section 4.2: a linearly weighted sliding window).

/// The mean over the visits of the last n periods. A visit of the newest period has weight n, of the one
/// before n - 1, and so on to 1.
class QueueingWindow {
 public:
  explicit QueueingWindow(std::size_t periods) : periods_(periods) {}

  /// Adds the newest period: the sum of its visits' delays and their number.
  void add(double sum_ns, double count) {
    periods_[next_] = {sum_ns, count};
    next_ = (next_ + 1) % periods_.size();
  }

  /// Returns the weighted mean; 0 if the window holds no visit.
  double mean_ns() const {
    double sum = 0;
    double count = 0;
    for (std::size_t age = 0; age < periods_.size(); ++age) {
      const Period& period = periods_[(next_ + periods_.size() - 1 - age) % periods_.size()];
      const double weight = static_cast<double>(periods_.size() - age);
      sum += weight * period.sum_ns;
      count += weight * period.count;
    }
    return count > 0 ? sum / count : 0;
  }

 private:
  struct Period {
    double sum_ns = 0;
    double count = 0;
  };
  std::vector<Period> periods_;
  std::size_t next_ = 0;
};

// The band around load 1 within which the order of the queue does not change (PARD section 4.3, delayed
// transition).

/// The input rates of the last n periods (fewer at the start). T_s of a period is the mean of the n periods
/// ending with it.
class LoadBand {
 public:
  explicit LoadBand(std::size_t periods) : periods_(periods) {}

  /// Adds the newest period's input rate T_in.
  void add(double input_rps) {
    Period& newest = periods_[next_];
    next_ = (next_ + 1) % periods_.size();
    filled_ = std::min(filled_ + 1, periods_.size());
    newest.input = input_rps;
    double sum = 0;
    for (std::size_t i = 0; i < filled_; ++i) sum += periods_[i].input;
    const double smooth = sum / static_cast<double>(filled_);
    newest.deviation = std::max(input_rps - smooth, smooth - input_rps);
  }

  /// Returns eps = sum |T_in - T_s| / sum T_in over the window, at most 1; 0 without input.
  double eps() const {
    double input = 0;
    double deviation = 0;
    for (std::size_t i = 0; i < filled_; ++i) {
      input += periods_[i].input;
      deviation += periods_[i].deviation;
    }
    return input > 0 ? std::min(1.0, deviation / input) : 0;
  }

 private:
  struct Period {
    double input = 0;
    double deviation = 0;
  };
  std::vector<Period> periods_;  ///< periods, of which the first filled_ count
  std::size_t next_ = 0;
  std::size_t filled_ = 0;
};

/// Returns high budget first if the load is above 1 + eps, low budget first if it is below 1 - eps, otherwise
/// the order before.
inline BudgetOrder next_order(BudgetOrder before, double load, double eps) {
  if (load > 1 + eps) return BudgetOrder::kHigh;
  if (load < 1 - eps) return BudgetOrder::kLow;
  return before;
}

/// The largest of the last n periods' worst latencies.
class WorstWindow {
 public:
  explicit WorstWindow(std::size_t periods) : periods_(periods) {}

  /// Adds the newest period's worst latency; 0 if no visit started in it.
  void add(double worst_ns) {
    periods_[next_] = worst_ns;
    next_ = (next_ + 1) % periods_.size();
  }

  /// Returns the largest; 0 if no visit started in the whole window.
  double worst_ns() const { return *std::max_element(periods_.begin(), periods_.end()); }

 private:
  std::vector<double> periods_;
  std::size_t next_ = 0;
};

}  // namespace harness
