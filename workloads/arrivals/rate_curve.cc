#include "workloads/arrivals/rate_curve.h"

#include <algorithm>
#include <cmath>

namespace harness {
namespace {

/// Computes the integral of the rate over [0, s).
class Integral {
 public:
  explicit Integral(const RateCurve& curve) : curve_(curve) {}

  /// Needs non-decreasing `s`.
  double up_to(double s) {
    while (bin_ < curve_.rps.size() && static_cast<double>(bin_ + 1) * curve_.bin_s <= s) {
      sum_ += curve_.rps[bin_++] * curve_.bin_s;
    }
    if (bin_ == curve_.rps.size()) return sum_;
    return sum_ + curve_.rps[bin_] * (s - static_cast<double>(bin_) * curve_.bin_s);
  }

 private:
  const RateCurve& curve_;
  std::size_t bin_ = 0;
  double sum_ = 0;
};

constexpr double kRelativeSlack = 1e-15;

}  // namespace

double bins_of(double s, double bin_s) {
  constexpr double kSlack = 1e-9;
  const double bins = s / bin_s;
  const double whole = std::round(bins);
  return std::abs(bins - whole) <= kSlack + kRelativeSlack * whole ? whole : bins;
}

std::size_t bin_of(TimeNs time, double bin_s) {
  const double bin_ns = bin_s * static_cast<double>(kNsPerS);
  const double whole_ns = std::round(bin_ns);
  const bool is_whole = whole_ns >= 1 && std::abs(bin_ns - whole_ns) <= kRelativeSlack * whole_ns;
  if (is_whole) return static_cast<std::size_t>(time / static_cast<TimeNs>(whole_ns));
  return static_cast<std::size_t>(bins_of(ns_to_s(time), bin_s));
}

RateCurve smoothed(const RateCurve& curve, double window_s) {
  const double half_bins = std::floor(window_s / curve.bin_s / 2);
  const auto size = static_cast<std::ptrdiff_t>(curve.rps.size());
  const auto half = static_cast<std::ptrdiff_t>(std::min(half_bins, static_cast<double>(size)));
  if (half == 0) return curve;
  RateCurve result = curve;
  double sum = 0;
  std::ptrdiff_t first = 0;
  std::ptrdiff_t last = 0;
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    for (; last < std::min(size, i + half + 1); ++last) sum += curve.rps[static_cast<std::size_t>(last)];
    for (; first < i - half; ++first) sum -= curve.rps[static_cast<std::size_t>(first)];
    result.rps[static_cast<std::size_t>(i)] = std::max(0.0, sum / static_cast<double>(last - first));
  }
  return result;
}

RateCurve interpolated(const RateCurve& curve, int parts) {
  RateCurve result;
  result.bin_s = curve.bin_s / parts;
  result.rps.reserve(curve.rps.size() * static_cast<std::size_t>(parts));
  const std::size_t size = curve.rps.size();
  for (std::size_t i = 0; i < size; ++i) {
    for (int part = 0; part < parts; ++part) {
      const double offset = (part + 0.5) / parts - 0.5;
      const std::size_t other = offset < 0 ? (i == 0 ? i : i - 1) : std::min(i + 1, size - 1);
      result.rps.push_back(curve.rps[i] + (curve.rps[other] - curve.rps[i]) * std::abs(offset));
    }
  }
  return result;
}

double mean_rps(const RateCurve& curve, double duration_s) {
  return Integral(curve).up_to(duration_s) / duration_s;
}

double peak_rps(const RateCurve& curve, double duration_s) {
  Integral integral(curve);
  double before = 0;
  double peak = 0;
  for (double second = 1; second <= duration_s; second += 1) {
    const double now = integral.up_to(second);
    peak = std::max(peak, now - before);
    before = now;
  }
  return duration_s < 1 ? mean_rps(curve, duration_s) : peak;
}

namespace {

/// The sum over bins of (count - mean)^2 / mean, of which Poisson counts have 1 each on average, and the
/// number of bins.
struct Unevenness {
  double sum = 0;
  double bins = 0;
  double variance = 0;  ///< variance of the sum for Poisson counts
};

Unevenness unevenness(const RateCurve& counts, double window_s) {
  Unevenness found;
  const double window = 2 * std::floor(window_s / counts.bin_s / 2) + 1;
  if (window < 3) return found;
  const RateCurve means = smoothed(counts, window_s);
  for (std::size_t i = 0; i < counts.rps.size(); ++i) {
    const double mean = means.rps[i] * counts.bin_s;
    if (!(mean > 0)) continue;
    const double off = counts.rps[i] * counts.bin_s - mean;
    found.sum += off * off / (mean * (1 - 1 / window));
    found.bins += 1;
    found.variance += 2 + 1 / mean;
  }
  return found;
}

}  // namespace

double dispersion(const RateCurve& counts, double window_s) {
  const Unevenness found = unevenness(counts, window_s);
  return found.bins > 0 ? found.sum / found.bins : 1;
}

bool is_poisson_noise(const RateCurve& counts, double window_s) {
  constexpr double kNearlyPoisson = 0.1;
  const Unevenness found = unevenness(counts, window_s);
  return found.sum <= found.bins + std::max(kNearlyPoisson * found.bins, 3 * std::sqrt(found.variance));
}

}  // namespace harness
