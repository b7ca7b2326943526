#include "harness/record/analysis/spread.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace harness {

double student_t_95(std::size_t freedom) {
  const boost::math::students_t distribution(static_cast<double>(std::max<std::size_t>(freedom, 1)));
  return boost::math::quantile(distribution, 0.975);
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
  spread.half_width = student_t_95(spread.n - 1) * spread.deviation / std::sqrt(n);
  return spread;
}

}  // namespace harness
