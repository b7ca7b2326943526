// The recent mean queueing delay of a module (PARD section 4.2: a linearly weighted sliding window).
#pragma once

#include <cstddef>
#include <vector>

namespace harness {

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

}  // namespace harness
