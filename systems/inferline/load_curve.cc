#include "systems/inferline/load_curve.h"

#include <algorithm>
#include <numeric>

#include "systems/inferline/coarse_plan.h"

namespace harness {
namespace {

/// Returns y at `x` on the line through two points.
double between(double x, double x0, double y0, double x1, double y1) {
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

}  // namespace

LoadCurve::LoadCurve(std::span<const Point> measured) {
  for (const Point& point : measured) {
    if (point.requests > points_.back().requests) points_.push_back(point);
  }
}

double LoadCurve::rate_rps(double requests) const {
  const auto above = std::ranges::lower_bound(points_, requests, {}, &Point::requests);
  if (above == points_.end()) return points_.back().rate_rps;
  if (above == points_.begin()) return 0;
  const auto below = above - 1;
  return between(requests, below->requests, below->rate_rps, above->requests, above->rate_rps);
}

double LoadCurve::requests(double rate_rps) const {
  const auto above = std::ranges::lower_bound(points_, rate_rps, {}, &Point::rate_rps);
  if (above == points_.end()) return points_.back().requests;
  if (above == points_.begin()) return 0;
  const auto below = above - 1;
  return between(rate_rps, below->rate_rps, below->requests, above->rate_rps, above->requests);
}

LoadCurve measure_load_curve(const Pipeline& pipeline, const Hardware& hardware,
                             std::span<const TimeNs> sample, TimeNs sample_ns, std::uint64_t seed,
                             const Configuration& configuration, PathDraws draws) {
  constexpr int kRates = 16;
  const double sample_rps = static_cast<double>(sample.size()) / ns_to_s(sample_ns);
  double most_rps = 0;
  {
    const Estimator estimator(pipeline, hardware, {sample.begin(), sample.end()}, seed, draws);
    most_rps = throughput_rps(hardware, estimator, configuration);
  }
  std::vector<LoadCurve::Point> points;
  for (int i = 1; i <= kRates; ++i) {
    const double rate_rps = most_rps * i / kRates;
    Estimator estimator(pipeline, hardware, stretched(sample, sample_rps / rate_rps), seed, draws);
    const std::span<const TimeNs> latencies = estimator.latencies(configuration);
    const double sum_s = std::accumulate(latencies.begin(), latencies.end(), 0.0,
                                         [](double sum, TimeNs one) { return sum + ns_to_s(one); });
    points.push_back({rate_rps * sum_s / static_cast<double>(latencies.size()), rate_rps});
  }
  return LoadCurve(points);
}

}  // namespace harness
