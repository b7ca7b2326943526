#include "workloads/arrivals/replay.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/core/param_list.h"

namespace harness {
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

}  // namespace harness
