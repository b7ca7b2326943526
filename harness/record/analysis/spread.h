// The mean and the spread of independent repetitions.
#pragma once

#include <cstddef>
#include <span>

#include "harness/record/run/no_value.h"

namespace harness {

/// The mean and spread of the values of independent repetitions. A number that cannot be computed is
/// kNoValue.
struct Spread {
  std::size_t n = 0;             ///< number of values; kNoValue ones do not count
  double mean = kNoValue;        ///< needs 1
  double deviation = kNoValue;   ///< sample standard deviation (n - 1); needs 2
  double half_width = kNoValue;  ///< half of the mean's 95 % confidence interval, by Student's t; needs 2
};
Spread spread_of(std::span<const double> values);

/// Returns the two-sided 95 % quantile of Student's t: P(|T| <= result) = 0.95. `freedom` is at least 1.
double student_t_95(std::size_t freedom);

}  // namespace harness
