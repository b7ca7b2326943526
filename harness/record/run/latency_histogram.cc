#include "harness/record/run/latency_histogram.h"

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"

namespace harness {

TimeNs LatencyHistogram::upper_edge(std::size_t bucket) {
  constexpr std::size_t kLinear = std::size_t{2} << kSubBits;
  std::uint64_t scaled = bucket;
  int exponent = 0;
  if (bucket >= kLinear) {
    exponent = static_cast<int>(bucket >> kSubBits) - 1;
    scaled = bucket - (static_cast<std::size_t>(exponent) << kSubBits);
  }
  return static_cast<TimeNs>((((scaled + 1) << exponent) << (kShift - kSubBits)) - 1);
}

void LatencyHistogram::grow(std::size_t buckets) { counts_.resize(buckets, 0); }

void LatencyHistogram::add_all(const std::vector<std::uint64_t>& counts) {
  if (counts_.size() < counts.size()) counts_.resize(counts.size(), 0);
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) counts_[bucket] += counts[bucket];
}

void LatencyHistogram::remove_all(const std::vector<std::uint64_t>& counts) {
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) counts_[bucket] -= counts[bucket];
}

TimeNs LatencyHistogram::quantile(double q) const {
  const std::uint64_t all = total();
  return all == 0 ? 0 : of_rank(rank_of_quantile(all, q));
}

TimeNs LatencyHistogram::of_rank(std::uint64_t rank) const {
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank) return upper_edge(bucket);
  }
  return upper_edge(counts_.size() - 1);
}

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
