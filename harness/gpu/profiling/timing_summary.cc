#include "harness/gpu/profiling/timing_summary.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/core/check.h"

namespace harness {
namespace {

constexpr double kOutside = 0.05;

std::vector<TimeNs> sorted(std::span<const TimeNs> times) {
  HARNESS_CHECK(!times.empty(), "no timing to summarise");
  std::vector<TimeNs> values(times.begin(), times.end());
  std::sort(values.begin(), values.end());
  return values;
}

TimeNs middle_of(const std::vector<TimeNs>& values) {
  const std::size_t n = values.size();
  if (n % 2 == 1) return values[n / 2];
  const TimeNs below = values[n / 2 - 1];
  return below + (values[n / 2] - below + 1) / 2;
}

TimeNs nearest_rank(const std::vector<TimeNs>& values, std::size_t percent) {
  const std::size_t rank = (values.size() * percent + 99) / 100;
  return values[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

std::optional<MedianRanks> median_ranks(std::size_t n) {
  if (n == 0) return std::nullopt;
  const boost::math::binomial_distribution<double> below(static_cast<double>(n), 0.5);
  const auto outside = [&](std::size_t j) { return 2 * cdf(below, static_cast<double>(j) - 1); };
  // The normal approximation is a good place to begin: j is about n / 2 - 0.98 sqrt(n).
  const double half = static_cast<double>(n) / 2;
  std::size_t j = static_cast<std::size_t>(std::max(1.0, half - std::sqrt(half * 2)));
  while (j > 1 && outside(j) > kOutside) --j;
  while (outside(j + 1) <= kOutside) ++j;
  if (outside(j) > kOutside) return std::nullopt;
  return MedianRanks{j, n + 1 - j};
}

double TimingSummary::half_width_share() const {
  if (!half_width_ns || median_ns <= 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(*half_width_ns) / static_cast<double>(median_ns);
}

TimingSummary summary_of(std::span<const TimeNs> times) {
  const std::vector<TimeNs> values = sorted(times);
  TimingSummary summary;
  summary.repeats = values.size();
  summary.median_ns = middle_of(values);
  summary.p10_ns = nearest_rank(values, 10);
  summary.p90_ns = nearest_rank(values, 90);
  summary.p99_ns = nearest_rank(values, 99);
  summary.mean_ns =
      std::accumulate(values.begin(), values.end(), TimeNs{0}) / static_cast<TimeNs>(values.size());
  if (const auto ranks = median_ranks(values.size()))
    summary.half_width_ns = (values[ranks->high - 1] - values[ranks->low - 1] + 1) / 2;
  return summary;
}

TimeNs median_of(std::span<const TimeNs> times) { return middle_of(sorted(times)); }

}  // namespace harness
