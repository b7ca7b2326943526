#include "workloads/arrivals/rate_curve.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/core/error.h"
#include "harness/core/random.h"

namespace harness {

void AliasTable::build(std::span<const double> weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  HARNESS_CHECK(sum > 0, "an alias table of no weight");
  const std::size_t size = weights.size();
  columns_.resize(size);
  shares_.resize(size);
  small_.clear();
  large_.clear();
  for (std::size_t i = 0; i < size; ++i) {
    shares_[i] = weights[i] / sum * static_cast<double>(size);
    columns_[i] = {~std::uint64_t{0}, static_cast<std::uint32_t>(i)};
    (shares_[i] < 1 ? small_ : large_).push_back(static_cast<std::uint32_t>(i));
  }
  // Whatever rounding leaves in one of the lists keeps its column for itself.
  while (!small_.empty() && !large_.empty()) {
    const std::uint32_t low = small_.back();
    small_.pop_back();
    const std::uint32_t high = large_.back();
    columns_[low] = {static_cast<std::uint64_t>(shares_[low] * 0x1p64), high};
    shares_[high] -= 1 - shares_[low];
    if (shares_[high] >= 1) continue;
    large_.pop_back();
    small_.push_back(high);
  }
}

namespace {

/// Bins of at least this many source seconds hide the rate's course (hourly counts), so `auto` draws lines.
constexpr double kLongBinS = 600;
/// No replay is longer, so that times in nanoseconds fit.
constexpr double kLongestS = 1e9;
/// Interpolation cuts a bin into parts of about this many replayed seconds, at most kMaxParts of them.
constexpr double kPartS = 0.1;
constexpr double kMaxParts = 64;

InputError wrong(const TraceSpec& spec, const char* key, const std::string& found,
                 const std::string& allowed) {
  return input_error(place_of_field(spec, key), found, allowed);
}

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

void repeat_to(RateCurve& curve, double duration_s) {
  const std::size_t once = curve.rps.size();
  const double bins = std::ceil(duration_s / curve.bin_s);
  HARNESS_CHECK(bins <= static_cast<double>(kMaxBins), "the caller limits the bins");
  while (curve.rps.size() < static_cast<std::size_t>(bins))
    curve.rps.push_back(curve.rps[curve.rps.size() - once]);
}

bool draws_lines(const TraceSpec& spec, double bin_s) {
  if (spec.interpolate == Interpolate::kAuto) return bin_s >= kLongBinS;
  return spec.interpolate == Interpolate::kLinear;
}

int parts_of(double replayed_bin_s, std::size_t bins) {
  const double most = std::min(kMaxParts, static_cast<double>(kMaxBins) / static_cast<double>(bins));
  return static_cast<int>(std::clamp(std::ceil(replayed_bin_s / kPartS), 1.0, std::max(1.0, most)));
}

constexpr double kRelativeSlack = 1e-15;

void stretch(Replay& replay, double contrast) {
  const double mean = mean_rps(replay.curve, replay.duration_s);
  for (double& rate : replay.curve.rps) rate = std::max(0.0, mean + contrast * (rate - mean));
}

/// Returns the rate of the replayed window, which has requests, that becomes the target.
double rate_scaled_to(const TraceSpec& spec, const Replay& replay) {
  const bool is_start = spec.scale_to == ScaleTo::kStart;
  const double rate = is_start                          ? replay.curve.rps.front()
                      : spec.scale_to == ScaleTo::kMean ? mean_rps(replay.curve, replay.duration_s)
                                                        : peak_rps(replay.curve, replay.duration_s);
  if (rate > 0) return rate;
  if (!is_start) return mean_rps(replay.curve, replay.duration_s);  // all of it in a part of a second
  throw wrong(spec, "scale_to", "start, where the first bin has no requests", "mean or peak");
}

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

RateCurve sliced(const TraceSpec& spec, const RateCurve& source) {
  const auto size = static_cast<double>(source.rps.size());
  const double first = std::floor(bins_of(spec.from_s, source.bin_s));
  const double end = spec.to_s > 0 ? std::ceil(bins_of(spec.to_s, source.bin_s)) : size;
  const double last = std::max(end, first + 1);
  if (first >= size) {
    throw wrong(spec, "from_s", text_of(spec.from_s),
                "less than the trace's length, " + text_of(source.length_s()) + " s");
  }
  RateCurve result;
  result.bin_s = source.bin_s;
  result.rps.assign(source.rps.begin() + static_cast<std::ptrdiff_t>(first),
                    source.rps.begin() + static_cast<std::ptrdiff_t>(std::min(last, size)));
  return result;
}

Replay replay_of(const TraceSpec& spec, RateCurve source, bool smooths, double target_rps) {
  const double compress = compression_of(spec);
  if (spec.clip_rps > 0) {
    for (double& rate : source.rps) rate = std::min(rate, spec.clip_rps);
  }
  if (smooths) source = smoothed(source, spec.smooth_s);
  if (draws_lines(spec, source.bin_s)) {
    source = interpolated(source, parts_of(source.bin_s / compress, source.rps.size()));
  }
  source.bin_s /= compress;
  for (double& rate : source.rps) rate *= compress;
  Replay replay{std::move(source), 0};
  if (spec.repeat && spec.duration_s > 0) {
    if (spec.duration_s / replay.curve.bin_s > static_cast<double>(kMaxBins)) {
      throw wrong(spec, "duration_s", text_of(spec.duration_s), "a duration of at most 50000000 bins");
    }
    repeat_to(replay.curve, spec.duration_s);
  }
  const double length_s = replay.curve.length_s();
  replay.duration_s = spec.duration_s > 0 ? std::min(spec.duration_s, length_s) : length_s;
  if (replay.duration_s > kLongestS) {
    throw wrong(spec, "duration_s", "a replay of " + text_of(replay.duration_s) + " s", "at most 1e9 s");
  }
  if (spec.contrast != 1) stretch(replay, spec.contrast);
  const bool has_requests = mean_rps(replay.curve, replay.duration_s) > 0;
  if (target_rps <= 0 || !has_requests) return replay;
  const double now = rate_scaled_to(spec, replay);
  for (double& rate : replay.curve.rps) rate *= target_rps / now;
  return replay;
}

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
