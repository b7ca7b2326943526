#include "harness/record/analysis/spread.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace harness {

double student_t(std::size_t freedom, double error) {
  const boost::math::students_t distribution(static_cast<double>(std::max<std::size_t>(freedom, 1)));
  return boost::math::quantile(boost::math::complement(distribution, error / 2));
}

double half_width_of(const Spread& spread, double error) {
  if (spread.n < 2) return kNoValue;
  return student_t(spread.n - 1, error) * spread.deviation / std::sqrt(static_cast<double>(spread.n));
}

ConfidenceInterval share_interval(std::size_t count, std::size_t n, double error) {
  const auto yes = static_cast<double>(count);
  const auto no = static_cast<double>(n - count);
  return {count == 0 ? 0 : boost::math::ibeta_inv(yes, no + 1, error / 2),
          count == n ? 1 : boost::math::ibetac_inv(yes + 1, no, error / 2)};
}

Spread spread_of(std::span<const double> values) {
  Spread spread;
  double sum = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    ++spread.n;
    sum += value;
  }
  if (spread.n == 0) return spread;
  const auto n = static_cast<double>(spread.n);
  spread.mean = sum / n;
  if (spread.n == 1) return spread;
  double squares = 0;
  for (const double value : values) {
    if (!std::isnan(value)) squares += (value - spread.mean) * (value - spread.mean);
  }
  spread.deviation = std::sqrt(squares / (n - 1));
  spread.half_width = half_width_of(spread, 0.05);
  return spread;
}

}  // namespace harness
