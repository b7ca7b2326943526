#include "harness/record/run/queue_trend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace harness {
namespace {

constexpr std::size_t kBatches = 20;
static_assert(kQueueSamples % kBatches == 0);

/// P(|T| <= value) = 0.95 for 1, 2, ... degrees of freedom: a table is the same on every processor.
constexpr std::array<double, kBatches - 2> kStudentT95 = {
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157,
    2.228139,  2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922};

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
  double lagged = 0;
  double before = 0;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const double residual = means[i] - mean - slope * time(i);
    rest += residual * residual;
    lagged += residual * before;
    before = residual;
  }
  const double correlation = rest > 0 ? std::max(lagged / rest, 0.0) : 0;
  const double independent = kCount * (1 - correlation) / (1 + correlation);
  const double freedom = std::max(independent - 2, 1.0);
  const double quantile = kStudentT95[static_cast<std::size_t>(freedom) - 1];
  const double half = quantile * std::sqrt(rest / freedom / squares);
  const double batches_per_s = kCount / measured_s;
  trend.growth = slope * batches_per_s;
  trend.low = (slope - half) * batches_per_s;
  trend.high = (slope + half) * batches_per_s;
  return trend;
}

const char* name_of(const QueueTrend& trend, const RunRecord& record) {
  if (std::isnan(trend.growth)) return "";
  constexpr double kShareOfSlo = 0.1;
  const double measured_s = ns_to_s(record.measured_ns());
  const double rate_rps = static_cast<double>(record.sent) / measured_s;
  const auto longer_s = [&](double growth) { return growth * measured_s / rate_rps; };
  const double large_s = kShareOfSlo * ns_to_s(record.slo_ns);
  if (trend.low > 0 && longer_s(trend.growth) >= large_s) return "growing";
  return longer_s(trend.high) < large_s ? "steady" : "unclear";
}

}  // namespace harness
