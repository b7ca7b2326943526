// The worst latency of a module lately, for PARD-WCL (PARD section 5.3).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace harness {

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
