#include "workloads/arrivals/fitted_curves.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "harness/core/portable_math.h"
#include "harness/core/random_stream.h"

namespace harness {
namespace {

constexpr std::int64_t kHourS = 3600;
constexpr std::int64_t kDayS = 86400;

using Hours = std::array<double, 24>;
using Days = std::array<double, 7>;

// Means by hour of the day and by day of the week over the real files, relative to the overall mean.
constexpr Hours kWikiHours = {1.39, 1.43, 1.42, 1.26, 0.99, 0.68, 0.45, 0.31, 0.23, 0.20, 0.18, 0.21,
                              0.36, 0.67, 0.93, 1.20, 1.38, 1.43, 1.50, 1.62, 1.64, 1.60, 1.52, 1.41};
constexpr Days kWikiDays = {1.09, 1.05, 1.00, 0.85, 0.90, 1.04, 1.08};
constexpr double kWikiRps = 1108715.0 / 3600;
constexpr Hours kTweetHours = {37.9, 38.9, 40.1, 40.5, 41.8, 42.9, 41.7, 37.0, 33.8, 32.3, 31.9, 33.0,
                               37.5, 41.8, 46.4, 51.3, 54.7, 54.9, 55.2, 47.1, 40.4, 36.7, 34.4, 34.3};
constexpr Hours kAzureHours = {0.14, 0.08, 0.14, 0.40, 0.77, 1.06, 1.23, 1.33, 1.39, 1.42, 1.44, 1.49,
                               1.49, 1.53, 1.58, 1.60, 1.58, 1.40, 1.12, 0.90, 0.76, 0.57, 0.37, 0.21};
constexpr Days kAzureDays = {1.23, 1.11, 1.01, 0.99, 1.08, 0.85, 0.73};
constexpr double kAzureRps = 3364.8 / 60;

double hour_mean(const Hours& hours, std::int64_t time_s) {
  return hours[static_cast<std::size_t>(time_s / kHourS % 24)];
}

/// Returns the hour's mean, drawn in straight lines between the middles of the hours.
double drawn_hour_mean(const Hours& hours, double time_s) {
  const double place = time_s / static_cast<double>(kHourS) - 0.5 + 24;
  const double whole = std::floor(place);
  const auto hour = static_cast<std::size_t>(whole) % 24;
  return hours[hour] + (hours[(hour + 1) % 24] - hours[hour]) * (place - whole);
}

double day_factor(const Days& days, std::int64_t time_s) {
  return days[static_cast<std::size_t>(time_s / kDayS % 7)];
}

/// Normal noise with a correlation between neighbouring indices and standard deviation 1. A value is a sum of
/// the independent numbers of its index and of earlier ones, so that any index can be asked for without the
/// values before.
class CorrelatedNoise {
 public:
  CorrelatedNoise(std::uint64_t seed, const char* name, double correlation)
      : seed_(seed), name_(name), correlation_(correlation) {}

  /// Returns the noise. Needs non-decreasing indices.
  double at(std::int64_t index) {
    constexpr std::int64_t kMemory = 64;
    if (!started_ || index > index_ + kMemory) {
      started_ = true;
      index_ = index - kMemory;
      value_ = fresh(index_);
    }
    const double innovation = std::sqrt(1.0 - correlation_ * correlation_);
    while (index_ < index) value_ = correlation_ * value_ + innovation * fresh(++index_);
    return value_;
  }

 private:
  double fresh(std::int64_t index) const {
    return RandomStream(seed_, name_, static_cast<std::uint64_t>(index)).normal();
  }

  std::uint64_t seed_;
  const char* name_;
  double correlation_;
  bool started_ = false;
  std::int64_t index_ = 0;
  double value_ = 0;
};

RateCurve wiki_curve(std::int64_t first, std::int64_t bins, std::uint64_t seed) {
  constexpr double kSpread = 0.13;
  CorrelatedNoise noise(seed, "wiki", 0.88);
  RateCurve curve{static_cast<double>(kHourS), {}};
  for (std::int64_t hour = first; hour < first + bins; ++hour) {
    const double mean = hour_mean(kWikiHours, hour * kHourS) * day_factor(kWikiDays, hour * kHourS);
    curve.rps.push_back(kWikiRps * mean * portable_exp(kSpread * noise.at(hour)));
  }
  return curve;
}

/// Returns the relative rise `after_s` seconds after a full hour; after half an hour it is a third of it.
double tweet_jump(double after_s) {
  const double start = after_s - 2.0;
  if (start < 0) return 0;
  return 0.30 * portable_exp(-start / 2.5) + 0.17 / (1.0 + start * start / (90.0 * 90.0));
}

RateCurve tweet_curve(std::int64_t first, std::int64_t bins, std::uint64_t seed) {
  constexpr double kSpread = 0.014;
  CorrelatedNoise noise(seed, "tweet", 0.75);
  RateCurve curve{1, {}};
  for (std::int64_t second = first; second < first + bins; ++second) {
    const auto half = static_cast<double>(second % (kHourS / 2));
    const bool full_hour = second % kHourS < kHourS / 2;
    const double jump = tweet_jump(half) * (full_hour ? 1.0 : 0.33);
    const double mean = drawn_hour_mean(kTweetHours, static_cast<double>(second));
    curve.rps.push_back(mean * (0.985 + jump) * (1.0 + kSpread * noise.at(second / 60)));
  }
  return curve;
}

RateCurve azure_curve(std::int64_t first, std::int64_t bins, std::uint64_t seed) {
  constexpr double kSpread = 0.052;
  RateCurve curve{60, {}};
  for (std::int64_t minute = first; minute < first + bins; ++minute) {
    const double mean = drawn_hour_mean(kAzureHours, static_cast<double>(minute * 60 + 30));
    const double noise = RandomStream(seed, "azure", static_cast<std::uint64_t>(minute)).normal();
    curve.rps.push_back(kAzureRps * mean * day_factor(kAzureDays, minute * 60) *
                        std::max(0.0, 1.0 + kSpread * noise));
  }
  return curve;
}

}  // namespace

RateCurve fitted_curve(const std::string& shape, double from_s, double length_s, std::uint64_t seed) {
  const double bin_s = shape == "wiki" ? static_cast<double>(kHourS) : (shape == "azure" ? 60.0 : 1.0);
  const double bins = std::ceil(length_s / bin_s);
  if (!(bins <= static_cast<double>(kMaxBins))) {
    throw input_error(
        {"", 0, "duration_s"}, "a " + shape + " of " + text_of(length_s) + " source seconds",
        "at most " + text_of(static_cast<double>(kMaxBins) * bin_s) + " (duration_s x compress)");
  }
  const auto first = static_cast<std::int64_t>(from_s / bin_s);
  const auto count = static_cast<std::int64_t>(bins);
  if (shape == "wiki") return wiki_curve(first, count, seed);
  if (shape == "azure") return azure_curve(first, count, seed);
  HARNESS_CHECK(shape == "tweet", "a fitted shape");
  return tweet_curve(first, count, seed);
}

}  // namespace harness
