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

/// Returns the two-sided quantile of Student's t: P(|T| > result) = `error`. `freedom` is at least 1.
double student_t(std::size_t freedom, double error = 0.05);
/// Returns half of the mean's confidence interval, which misses the mean with probability `error`; kNoValue
/// for fewer than two values.
double half_width_of(const Spread& spread, double error);

/// The ends of a confidence interval.
struct ConfidenceInterval {
  double low = kNoValue;
  double high = kNoValue;
};
/// Returns the interval of Clopper and Pearson (1934) for the probability of an event that was seen `count`
/// times in `n` independent trials, n > 0: it misses the probability with probability `error` at most.
ConfidenceInterval share_interval(std::size_t count, std::size_t n, double error);

}  // namespace harness
