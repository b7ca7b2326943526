// A mean of recent values.
#pragma once

#include <cstddef>
#include <deque>

namespace harness {

/// The mean over the last periods, linearly weighted, the newest most.
class RecentMean {
 public:
  explicit RecentMean(std::size_t periods) : periods_(periods) {}

  /// Adds a period that has ended, with this sum over that count (or weight).
  void add(double sum, double count);
  /// Returns the mean, or `otherwise` if nothing has been counted.
  double mean_or(double otherwise) const;

 private:
  struct Period {
    double sum = 0;
    double count = 0;
  };
  std::size_t periods_;
  std::deque<Period> recent_;  ///< periods, the newest last
};

}  // namespace harness
