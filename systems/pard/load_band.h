// The band around load 1 within which the order of the queue does not change (PARD section 4.3, delayed
// transition).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "systems/pard/pard_state.h"

namespace harness {

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

}  // namespace harness
