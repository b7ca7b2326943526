#include "workloads/trace_files/trace_facts.h"

#include <algorithm>
#include <cmath>

#include "workloads/arrivals/rate_curve.h"

namespace harness {
namespace {

/// Returns the sums of whole groups of `group` values; a rest is left out.
std::vector<double> grouped(const std::vector<double>& values, std::size_t group) {
  std::vector<double> sums;
  for (std::size_t begin = 0; begin + group <= values.size(); begin += group) {
    double sum = 0;
    for (std::size_t i = begin; i < begin + group; ++i) sum += values[i];
    sums.push_back(sum);
  }
  return sums;
}

std::vector<double> grouped_to(const std::vector<double>& counts, double bin_s, double length_s) {
  return grouped(counts, static_cast<std::size_t>(std::max(1.0, std::round(length_s / bin_s))));
}

double variation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return mean > 0 ? std::sqrt(squares / static_cast<double>(values.size())) / mean : 0;
}

double short_variation(const std::vector<double>& values, double value_s, double trend_s) {
  const RateCurve curve{value_s, values};
  const RateCurve trend = smoothed(curve, trend_s);
  std::vector<double> shares;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (trend.rps[i] > 0) shares.push_back(values[i] / trend.rps[i]);
  }
  return variation(shares);
}

}  // namespace

TraceFacts facts_of(const std::vector<double>& counts, double bin_s, double length_s, double trend_s) {
  TraceFacts facts;
  facts.bin_s = bin_s;
  facts.bins = counts.size();
  facts.length_s = length_s > 0 ? length_s : bin_s * static_cast<double>(counts.size());
  for (const double count : counts) facts.requests += count;
  facts.mean_rps = facts.requests / facts.length_s;
  std::vector<double> seconds = grouped_to(counts, bin_s, 1);
  if (seconds.empty()) seconds = counts;
  facts.second_s = bin_s * std::max(1.0, std::round(1 / bin_s));
  facts.trend_s = std::max(trend_s, 11 * facts.second_s);
  facts.peak_rps = facts.length_s < facts.second_s
                       ? facts.mean_rps
                       : *std::max_element(seconds.begin(), seconds.end()) / facts.second_s;
  facts.peak_over_mean = facts.mean_rps > 0 ? facts.peak_rps / facts.mean_rps : 0;
  facts.cv_second = variation(seconds);
  facts.cv_minute = variation(grouped_to(counts, bin_s, 60));
  facts.cv_short = short_variation(seconds, facts.second_s, facts.trend_s);
  return facts;
}

bool divides_into(const TraceFacts& facts, double group_s) {
  constexpr double kSlack = 0.01;
  const double bins = std::round(group_s / facts.bin_s);
  return bins >= 1 && std::abs(bins * facts.bin_s - group_s) <= kSlack * group_s &&
         2 * bins <= static_cast<double>(facts.bins);
}

}  // namespace harness
