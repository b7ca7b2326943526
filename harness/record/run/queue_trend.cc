#include "harness/record/run/queue_trend.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace harness {
namespace {

constexpr std::size_t kBatches = 10;
static_assert(kQueueSamples % kBatches == 0);
constexpr double kStudentT95 = 2.306004;  ///< P(|T| <= value) = 0.95 with kBatches - 2 degrees of freedom

std::array<double, kBatches> batch_means(const RunRecord& record) {
  constexpr std::size_t kSize = kQueueSamples / kBatches;
  std::array<double, kBatches> means{};
  for (std::size_t i = 0; i < kQueueSamples; ++i)
    means[i / kSize] += static_cast<double>(record.queue_samples[i]) / kSize;
  return means;
}

}  // namespace

QueueTrend queue_trend(const RunRecord& record) {
  QueueTrend trend;
  const double measured_s = ns_to_s(record.measured_ns());
  if (record.queue_samples.size() != kQueueSamples || measured_s <= 0 || record.sent == 0) return trend;
  const std::array<double, kBatches> means = batch_means(record);
  constexpr auto kCount = static_cast<double>(kBatches);
  // Times are in batches from the middle of the measured part.
  const auto time = [](std::size_t i) { return static_cast<double>(i) - (kCount - 1) / 2; };
  double mean = 0;
  double product = 0;
  double squares = 0;
  for (std::size_t i = 0; i < kBatches; ++i) {
    mean += means[i] / kCount;
    product += time(i) * means[i];
    squares += time(i) * time(i);
  }
  const double slope = product / squares;
  double rest = 0;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const double residual = means[i] - mean - slope * time(i);
    rest += residual * residual;
  }
  const double half = kStudentT95 * std::sqrt(rest / (kCount - 2) / squares);
  const double batches_per_s = kCount / measured_s;
  trend.growth = slope * batches_per_s;
  trend.low = (slope - half) * batches_per_s;
  trend.high = (slope + half) * batches_per_s;
  trend.rise = means.back() - means.front();
  trend.peak = *std::ranges::max_element(means) - means.front();
  return trend;
}

const char* name_of(const QueueTrend& trend, const RunRecord& record) {
  if (std::isnan(trend.growth)) return "";
  constexpr double kShareOfSlo = 0.1;
  const double measured_s = ns_to_s(record.measured_ns());
  const double rate_rps = static_cast<double>(record.sent) / measured_s;
  const double large = kShareOfSlo * ns_to_s(record.slo_ns) * rate_rps;  // in visits
  const bool is_large = std::min(trend.growth * measured_s, trend.rise) >= large;
  if (trend.low > 0 && is_large && trend.rise >= trend.peak / 2) return "growing";
  return trend.high * measured_s < large ? "steady" : "unclear";
}

}  // namespace harness
