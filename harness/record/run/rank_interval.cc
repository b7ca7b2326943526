#include "harness/record/run/rank_interval.h"

#include <algorithm>
#include <cmath>

#include "harness/core/check.h"

namespace harness {

std::uint64_t rank_of_quantile(std::uint64_t n, double q) {
  const double wanted = std::ceil(q * static_cast<double>(n));
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, n);
}

namespace {

/// Returns base^n, computed by multiplications alone.
double power_of(double base, std::uint64_t n) {
  double power = 1;
  for (; n > 0; n /= 2, base *= base) {
    if (n % 2 == 1) power *= base;
  }
  return power;
}

}  // namespace

RankInterval quantile_ranks_95(std::uint64_t n, double q) {
  constexpr double kTail = 0.025;
  constexpr double kNormal = 1.959964;  // the normal distribution's 97.5 % quantile
  constexpr double kMany = 400;
  HARNESS_CHECK(q >= 0.5 && q < 1, "quantiles of at least 0.5 have such intervals");
  const double p = 1 - q;  // the probability that a value lies above the quantile
  const double mean = static_cast<double>(n) * p;
  if (mean > kMany) {
    const double width = kNormal * std::sqrt(mean * q) + 0.5;
    return {n + 1 - static_cast<std::uint64_t>(std::ceil(mean + width)),
            n - static_cast<std::uint64_t>(std::floor(mean - width))};
  }
  RankInterval ranks{0, n + 1};
  double term = power_of(q, n);  // the probability of `above` values above the quantile
  double sum = 0;
  for (std::uint64_t above = 0; above <= n; ++above) {
    if (sum >= 1 - kTail) {
      ranks.low = n + 1 - above;
      break;
    }
    sum += term;
    if (sum <= kTail) ranks.high = n - above;
    term *= static_cast<double>(n - above) / static_cast<double>(above + 1) * p / q;
  }
  return ranks;
}

}  // namespace harness
