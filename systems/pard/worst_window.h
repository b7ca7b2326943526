// The worst latency of a module within a window (PARD section 5.3, PARD-WCL).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace harness {

/// The largest of the last n periods' worst latencies.
class WorstWindow {
 public:
  explicit WorstWindow(std::size_t periods) : periods_(periods) {}

  /// Adds the newest period's; 0 when nothing started in it.
  void add(double worst_ns) {
    periods_[next_] = worst_ns;
    next_ = (next_ + 1) % periods_.size();
  }

  /// 0 when nothing started in the whole window.
  double worst_ns() const { return *std::max_element(periods_.begin(), periods_.end()); }

 private:
  std::vector<double> periods_;
  std::size_t next_ = 0;
};

}  // namespace harness
