#include "workloads/streams/trace_arrivals.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "harness/core/input_error.h"
#include "harness/core/random_stream.h"
#include "workloads/arrivals/autoscale_curves.h"
#include "workloads/arrivals/curve_arrivals.h"
#include "workloads/arrivals/fitted_curves.h"
#include "workloads/arrivals/placing_rule.h"
#include "workloads/arrivals/rate_curve.h"
#include "workloads/arrivals/replay.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/spec/unused_key.h"
#include "workloads/streams/load_facts.h"
#include "workloads/streams/stream_arrivals.h"
#include "workloads/trace_files/counts.h"
#include "workloads/trace_files/imported_trace.h"
#include "workloads/trace_files/trace_data.h"

namespace harness {
namespace {

PlacingRule placing_rule(const TraceSpec& spec) {
  const double cv = spec.scv > 0 ? std::sqrt(spec.scv) : spec.cv;
  PlacingRule rule{process_of(spec), cv, spec.mmpp_ratio, spec.mmpp_high_share, spec.mmpp_high_s};
  if (spec.shape == "transition") {
    rule.change = {spec.transition_scv, s_to_ns(spec.transition_from_s),
                   s_to_ns(spec.transition_from_s + spec.transition_s)};
  }
  return rule;
}

RateCurve step_curve(const TraceSpec& spec) {
  constexpr int kBins = 10'000;
  RateCurve curve{spec.duration_s / kBins, {}};
  for (int bin = 0; bin < kBins; ++bin) {
    const double place = (bin + 0.5) / kBins;
    curve.rps.push_back(place >= spec.step_from && place < spec.step_to ? spec.step_ratio : 1.0);
  }
  return curve;
}

/// Returns the number of requests up to `time_s` if the rate before the transition is 1.
double requests_before(const TraceSpec& spec, double time_s) {
  const double into_s = std::clamp(time_s - spec.transition_from_s, 0.0, spec.transition_s);
  const double after_s = std::max(0.0, time_s - spec.transition_from_s - spec.transition_s);
  const double more = spec.transition_ratio - 1;
  const double ramp = spec.transition_s > 0 ? more * into_s * into_s / (2 * spec.transition_s) : 0;
  return time_s + ramp + more * after_s;
}

/// Returns a curve of which each bin has the mean of the rate over it.
RateCurve transition_curve(const TraceSpec& spec) {
  constexpr int kBins = 10'000;
  RateCurve curve{spec.duration_s / kBins, {}};
  double before = 0;
  for (int bin = 1; bin <= kBins; ++bin) {
    const double now = requests_before(spec, curve.bin_s * bin);
    curve.rps.push_back(std::max(0.0, (now - before) / curve.bin_s));
    before = now;
  }
  return curve;
}

bool is_fitted(const TraceSpec& spec) {
  return spec.shape == "wiki" || spec.shape == "tweet" || spec.shape == "azure";
}

/// Returns the curve of a generated shape; flat ones are one bin of the whole length, in replayed time.
Replay generated_replay(const TraceSpec& spec, double target_rps, std::uint64_t seed) {
  const double length_s = spec.duration_s * compression_of(spec);
  if (is_fitted(spec))
    return replay_of(spec, fitted_curve(spec.shape, spec.from_s, length_s, seed), false, target_rps);
  if (is_autoscale_shape(spec.shape))
    return replay_of(spec, autoscale_curve(spec.shape, spec.from_s, length_s), false, target_rps);
  TraceSpec flat = spec;
  flat.compress = 1;
  flat.interpolate = Interpolate::kOff;
  flat.clip_rps = 0;
  flat.repeat = false;
  RateCurve curve{spec.duration_s, {1.0}};
  if (spec.shape == "step") curve = step_curve(spec);
  if (spec.shape == "transition") curve = transition_curve(spec);
  return replay_of(flat, std::move(curve), false, target_rps);
}

/// Returns the source seconds from from_s to the end of the file; for recorded times in whole bins, as
/// counts_of() counts them.
double source_length_s(const TraceSpec& spec, const TraceData& data) {
  if (data.times_ns.empty()) return static_cast<double>(data.counts.size()) * data.bin_s - spec.from_s;
  const TimeNs last = std::max<TimeNs>(0, data.times_ns.back() - s_to_ns(spec.from_s));
  return static_cast<double>(bin_of(last, data.bin_s) + 1) * data.bin_s;
}

/// Returns the replayed seconds of a file that is sent as it was recorded: the length for which duration_s or
/// to_s asks, even if the file ends earlier; else the file's end.
double length_as_recorded_s(const TraceSpec& spec, const TraceData& data) {
  const bool has_end = spec.to_s > 0;
  const double source_s = has_end ? spec.to_s - spec.from_s : source_length_s(spec, data);
  const double length_s = source_s / compression_of(spec);
  if (spec.duration_s <= 0) return length_s;
  return has_end || !asks_for_duration(spec) ? std::min(spec.duration_s, length_s) : spec.duration_s;
}

/// Returns the recorded times within [from_s, to_s), compressed and cut to the replayed length.
std::unique_ptr<ArrivalSource> recorded(const TraceSpec& spec, const std::shared_ptr<const TraceData>& read) {
  const TraceData& data = *read;
  const double compress = compression_of(spec);
  const TimeNs from = s_to_ns(spec.from_s);
  if (spec.from_s >= source_length_s(TraceSpec(), data))
    throw input_error(place_of_field(spec, "from_s"), text_of(spec.from_s),
                      "less than the trace's length, " + text_of(source_length_s(TraceSpec(), data)) + " s");
  const TimeNs to = spec.to_s > 0 ? s_to_ns(spec.to_s) : kNever;
  const auto duration =
      static_cast<TimeNs>(std::ceil(length_as_recorded_s(spec, data) * static_cast<double>(kNsPerS)));
  if (from == 0 && compress == 1 && data.times_ns.back() < std::min(to, duration))
    return make_recorded_arrivals({read, &data.times_ns}, duration);  // all of them, not copied
  auto times = std::make_shared<std::vector<TimeNs>>();
  for (const TimeNs time : data.times_ns) {
    if (time < from || time >= to) continue;
    const TimeNs at = static_cast<TimeNs>(static_cast<double>(time - from) / compress);
    if (at < duration) times->push_back(at);
  }
  return make_recorded_arrivals(std::move(times), duration);
}

/// Returns the file's rate from from_s to to_s.
RateCurve curve_of(const TraceSpec& spec, const TraceData& data) {
  RateCurve curve;
  curve.bin_s = data.bin_s;
  curve.rps = data.times_ns.empty() ? data.counts : counts_of(data.times_ns, data.bin_s);
  for (double& rate : curve.rps) rate /= curve.bin_s;
  return sliced(spec, curve);
}

/// True if the window of the moving mean holds more than a bin.
bool can_smooth(const TraceSpec& spec, const RateCurve& curve) { return spec.smooth_s >= 2 * curve.bin_s; }

bool smooths(const TraceSpec& spec, const TraceData& data, const RateCurve& curve) {
  if (!can_smooth(spec, curve)) return false;
  if (spec.scale_by == ScaleBy::kAuto) return data.times_ns.empty() && is_poisson_noise(curve, spec.smooth_s);
  return spec.scale_by == ScaleBy::kSmoothed;
}

/// Returns the replay as recorded. The curve must not say anything about times within a bin, and nothing
/// comes after its end.
Replay replay_as_recorded(const TraceSpec& spec, const TraceData& data, RateCurve curve) {
  TraceSpec as_is = spec;
  as_is.interpolate = Interpolate::kOff;
  Replay replay = replay_of(as_is, std::move(curve), false, 0);
  replay.duration_s = std::max(replay.duration_s, length_as_recorded_s(spec, data));
  return replay;
}

void check_places_counts(const TraceSpec& spec, const PlacingRule& rule) {
  if (rule.process == ArrivalProcess::kMmpp)
    throw input_error(place_of_field(spec, "process"), "mmpp for counts as they were recorded",
                      "poisson, uniform or gamma, which place a bin's requests within it, or a rate above 0");
}

/// Adds a remark if the file ends before the end that duration_s or to_s asks for, or if to_s comes before
/// duration_s. `file_s` is the replayed length of the file from from_s on.
void remark_on_length(const TraceSpec& spec, double file_s, bool is_as_is, bool can_repeat,
                      std::vector<std::string>& remarks) {
  constexpr double kRoundingS = 1e-6;
  const double until_s = (spec.to_s - spec.from_s) / compression_of(spec);
  const bool is_cut = spec.to_s > 0 && until_s <= file_s;
  const double end_s = is_cut ? until_s : file_s;
  double asked_s = is_as_is && !asks_for_duration(spec) ? 0 : spec.duration_s;
  const bool is_by_end = is_as_is && spec.to_s > 0 && !is_cut && !(asked_s > 0 && asked_s < until_s);
  if (is_by_end) asked_s = until_s;
  if (spec.repeat || end_s >= asked_s - kRoundingS) return;
  char text[200];
  std::snprintf(
      text, sizeof text, "%s ends %.6g s after from_s = %.6g%s, %s asks for %.6g: nothing is sent after it%s",
      is_cut ? "to_s" : "the file", end_s, spec.from_s, compression_of(spec) > 1 ? " (replayed)" : "",
      is_by_end ? "to_s" : "duration_s", asked_s, can_repeat ? " (repeat = true begins again)" : "");
  remarks.emplace_back(text);
}

/// Returns the highest mean over a whole second, or a bin that is longer, over the mean of all.
double peak_share(const RateCurve& curve, double length_s) {
  const double mean = mean_rps(curve, length_s);
  return mean > 0 ? peak_rps(curve, length_s) / mean : 0;
}

void note_peaks(double recorded, double sent, const char* why, LoadFacts& notes) {
  constexpr double kMuch = 0.1;
  notes.recorded_peak_over_mean = recorded;
  notes.sent_peak_over_mean = sent;
  if (!(recorded > 0) || std::abs(sent / recorded - 1) <= kMuch) return;
  char text[160];
  std::snprintf(text, sizeof text, "peak over mean of a second is %.3g where %.3g was recorded%s", sent,
                recorded, why);
  notes.remarks.emplace_back(text);
}

/// Notes the peaks of a recorded curve and of the load that is sent of it.
void note_peaks_of(const TraceSpec& spec, const RateCurve& recorded, const Replay& replay, bool is_smoothed,
                   LoadFacts& notes) {
  const double sent_s = std::min(replay.duration_s, replay.curve.length_s());
  const double recorded_s = std::min(sent_s * compression_of(spec), recorded.length_s());
  const char* why = is_smoothed                ? " (scale_by = \"raw\" keeps it)"
                    : spec.contrast != 1       ? " (contrast)"
                    : compression_of(spec) > 1 ? " (compress: a replayed second is several recorded ones)"
                                               : "";
  note_peaks(peak_share(recorded, recorded_s), peak_share(replay.curve, sent_s), why, notes);
}

/// Adds a remark if counts are multiplied, and their noise with them: n requests of a bin have a noise of 1 /
/// sqrt(n) of their number.
void remark_on_noise(const TraceSpec& spec, const RateCurve& recorded, const Replay& replay, bool is_smoothed,
                     std::vector<std::string>& remarks) {
  constexpr double kMuch = 10;
  constexpr double kLittle = 0.01;  // of noise
  const double requests = mean_rps(recorded, recorded.length_s()) * recorded.bin_s;
  const double sent_s = std::min(replay.duration_s, replay.curve.length_s());
  const double sent = mean_rps(replay.curve, sent_s) * recorded.bin_s / compression_of(spec);
  if (is_smoothed || !(requests > 0) || sent <= kMuch * requests) return;
  const double noise = 1 / std::sqrt(requests);
  const double natural = 1 / std::sqrt(sent);
  if (noise - natural < kLittle) return;
  char text[320];
  std::snprintf(text, sizeof text,
                "scaled %.3g times: the %.3g requests of a bin of %.6g s have a counting noise of %.2g %%, "
                "which is scaled with them, where %.3g requests would have %.2g %%%s",
                sent / requests, requests, recorded.bin_s, 100 * noise, sent, 100 * natural,
                can_smooth(spec, recorded) ? " (scale_by = \"smoothed\" takes most of it out)" : "");
  remarks.emplace_back(text);
}

/// Adds a remark if smoothing is asked for and bins are too long for it.
void remark_on_long_bins(const TraceSpec& spec, const RateCurve& recorded,
                         std::vector<std::string>& remarks) {
  if (spec.scale_by != ScaleBy::kSmoothed || can_smooth(spec, recorded)) return;
  remarks.push_back("scale_by = \"smoothed\" does nothing to bins of " + text_of(recorded.bin_s) +
                    " s: smooth_s = " + text_of(spec.smooth_s) + " is less than two of them");
}

/// Notes the peaks of recorded times that are sent as they are.
void note_peaks_of(const TraceSpec& spec, const TraceData& data, double length_s, LoadFacts& notes) {
  if (bins_of(ns_to_s(data.times_ns.back()), data.bin_s) >= static_cast<double>(kMaxBins)) return;
  const TimeNs from = s_to_ns(spec.from_s);
  const TimeNs to = from + s_to_ns(length_s);
  std::vector<TimeNs> times;
  for (const TimeNs time : data.times_ns) {
    if (time >= from && time < to) times.push_back(time - from);
  }
  if (times.empty()) return;
  std::vector<double> seconds = counts_of(times, 1);
  seconds.resize(std::min(seconds.size(), static_cast<std::size_t>(length_s)));  // whole ones
  const double mean = static_cast<double>(times.size()) / length_s;
  const double share = seconds.empty() ? 1 : *std::max_element(seconds.begin(), seconds.end()) / mean;
  note_peaks(share, share, "", notes);
}

/// Adds a remark if a log has whole seconds: then many requests are sent at once.
void remark_on_seconds(const std::vector<TimeNs>& times_ns, std::vector<std::string>& remarks) {
  const auto is_within = [](TimeNs time) { return time % kNsPerS != 0; };
  if (times_ns.size() < 2 || std::any_of(times_ns.begin(), times_ns.end(), is_within)) return;
  std::size_t seconds = 1;
  for (std::size_t i = 1; i < times_ns.size(); ++i) seconds += times_ns[i] != times_ns[i - 1] ? 1 : 0;
  constexpr double kFew = 1.5;  // requests a second
  const double at_once = static_cast<double>(times_ns.size()) / static_cast<double>(seconds);
  if (at_once < kFew) return;
  char text[160];
  std::snprintf(
      text, sizeof text,
      "the times are whole seconds, and the requests of one are sent at once, %.3g on average: a rate "
      "above 0 spreads them",
      at_once);
  remarks.emplace_back(text);
}

/// Adds a remark if the first request comes long after the beginning of the window.
void remark_on_begin(const TraceSpec& spec, const std::vector<TimeNs>& times_ns,
                     std::vector<std::string>& remarks) {
  const TimeNs from = s_to_ns(spec.from_s);
  const auto first = std::lower_bound(times_ns.begin(), times_ns.end(), from);
  if (first == times_ns.end() || *first - from <= longest_gap({first, times_ns.end()})) return;
  remarks.push_back("the first request comes " + text_of(ns_to_s(*first - from)) +
                    " s after from_s: from_s = " + text_of(std::floor(ns_to_s(*first))) + " begins with it");
}

/// Returns how the file was read, and how much of it is sent if that is not all.
std::string described(const TraceSpec& spec, const TraceData& data) {
  const double end_s = data.times_ns.empty() ? data.bin_s * static_cast<double>(data.counts.size())
                                             : ns_to_s(data.times_ns.back());
  const double sent_s = spec.duration_s * compression_of(spec);
  const bool is_all =
      spec.duration_s <= 0 || spec.from_s + sent_s >= (spec.to_s > 0 ? std::min(spec.to_s, end_s) : end_s);
  return described(data) + (is_all ? "" : "; " + text_of(sent_s) + " s of them are sent (duration_s)");
}

std::unique_ptr<ArrivalSource> placed(const TraceSpec& spec, std::shared_ptr<const Replay> replay,
                                      std::uint64_t seed) {
  constexpr double kMaxChanges = 1e8;  // they are made before the first arrival
  const PlacingRule rule = placing_rule(spec);
  const double changes = 2 * replay->duration_s * rule.mmpp_high_share / rule.mmpp_high_s;
  if (rule.process == ArrivalProcess::kMmpp && changes > kMaxChanges)
    throw input_error(place_of_field(spec, "mmpp_high_s"),
                      text_of(changes) + " changes of state in " + text_of(replay->duration_s) + " s",
                      "at most " + text_of(kMaxChanges));
  return make_curve_arrivals(std::move(replay), rule, seed);
}

/// Does make_arrivals() for shape file.
std::unique_ptr<ArrivalSource> file_arrivals(const TraceSpec& spec, double target_rps, std::uint64_t seed,
                                             LoadFacts* notes) {
  const std::shared_ptr<const TraceData> read = recorded_trace(spec);
  const TraceData& data = *read;
  if (notes != nullptr) {
    notes->remarks.push_back(described(spec, data));
    remark_on_begin(spec, data.times_ns, notes->remarks);
  }
  RateCurve curve;
  const bool is_as_is = target_rps <= 0;
  if (is_as_is) check_keys_of_file(spec, data.format, false);
  const bool needs_curve =
      !is_as_is || data.times_ns.empty() || (notes != nullptr && compression_of(spec) != 1);
  if (needs_curve) curve = curve_of(spec, data);
  const bool is_smoothed = !is_as_is && smooths(spec, data, curve);
  const RateCurve before = notes != nullptr ? curve : RateCurve();
  std::shared_ptr<const Replay> replay;
  if (needs_curve)
    replay =
        std::make_shared<const Replay>(is_as_is ? replay_as_recorded(spec, data, std::move(curve))
                                                : replay_of(spec, std::move(curve), is_smoothed, target_rps));
  std::unique_ptr<ArrivalSource> arrivals;
  const bool is_recorded = is_as_is && !data.times_ns.empty();
  if (is_recorded) {
    arrivals = recorded(spec, read);
  } else if (is_as_is) {
    check_places_counts(spec, placing_rule(spec));
    arrivals = make_counted_arrivals(replay, placing_rule(spec), seed);
  } else {
    arrivals = placed(spec, replay, seed);
  }
  if (notes != nullptr) {
    const double length_s = ns_to_s(arrivals->duration_ns());
    const double file_s = std::max(0.0, source_length_s(spec, data)) / compression_of(spec);
    remark_on_length(spec, file_s, is_as_is, !is_recorded, notes->remarks);
    if (is_recorded) remark_on_seconds(data.times_ns, notes->remarks);
    if (!is_as_is) {
      remark_on_noise(spec, before, *replay, is_smoothed, notes->remarks);
      remark_on_long_bins(spec, before, notes->remarks);
    }
    if (replay != nullptr)
      note_peaks_of(spec, before, *replay, is_smoothed, *notes);
    else
      note_peaks_of(spec, data, std::min(length_s, file_s), *notes);
  }
  return arrivals;
}

/// Returns the arrivals of the whole trace.
std::unique_ptr<ArrivalSource> all_arrivals(const TraceSpec& spec, double target_rps, std::uint64_t seed,
                                            LoadFacts* notes) {
  check_trace(spec);
  if (!(target_rps <= 1e9)) {
    throw input_error({spec.place_file, spec.place_line, "rate"}, text_of(target_rps),
                      "at most 1e9 requests/s");
  }
  if (spec.shape == "streams")
    return make_stream_arrivals(std::make_shared<const StreamPopulation>(spec, target_rps), seed);
  if (spec.shape != "file") {
    if (!(target_rps > 0)) {
      throw input_error({spec.place_file, spec.place_line, "rate"}, text_of(target_rps),
                        "more than 0 requests/s for the generated shape " + spec.shape);
    }
    auto replay = std::make_shared<const Replay>(generated_replay(spec, target_rps, seed));
    return placed(spec, std::move(replay), seed);
  }
  return file_arrivals(spec, target_rps, seed, notes);
}

/// Returns the requests of `whole` from `from_ns` on and before `to_ns`; times count from `from_ns`.
std::unique_ptr<ArrivalSource> part_of(const TraceSpec& spec, const ArrivalSource& whole, TimeNs from_ns,
                                       TimeNs to_ns) {
  constexpr double kMaxRequests = 2e8;  // they are kept
  if (whole.expected_requests() > kMaxRequests)
    throw input_error(place_of_field(spec, "sample_share"),
                      text_of(spec.sample_share) + " of " + text_of(whole.expected_requests()) + " requests",
                      "0 for traces of more than " + text_of(kMaxRequests));
  auto times = std::make_shared<std::vector<TimeNs>>();
  for (ArrivalCursor cursor(whole.restarted()); cursor.next_ns() < to_ns; cursor.advance()) {
    if (cursor.next_ns() >= from_ns) times->push_back(cursor.next_ns() - from_ns);
  }
  if (times->empty())
    throw input_error(place_of_field(spec, "sample_share"),
                      text_of(spec.sample_share) + ", which leaves no request " +
                          (from_ns > 0 ? "to serve" : "in the sample"),
                      "a share with requests in it and after it");
  return make_recorded_arrivals(std::move(times), to_ns - from_ns);
}

TimeNs end_of_sample(const TraceSpec& spec, const ArrivalSource& whole) {
  return static_cast<TimeNs>(spec.sample_share * static_cast<double>(whole.duration_ns()));
}

}  // namespace

std::unique_ptr<ArrivalSource> make_arrivals(const TraceSpec& spec, double target_rps, std::uint64_t seed,
                                             LoadFacts* notes) {
  std::unique_ptr<ArrivalSource> all = all_arrivals(spec, target_rps, seed, notes);
  const bool has_sample = spec.sample_share > 0 && spec.shape != "streams";
  if (!has_sample || all->expected_requests() <= 0) return all;
  return part_of(spec, *all, end_of_sample(spec, *all), all->duration_ns());
}

std::unique_ptr<ArrivalSource> make_sample(const TraceSpec& spec, double target_rps, std::uint64_t seed) {
  if (spec.shape == "streams")
    throw input_error(place_of_field(spec, "shape"), "streams for a system that plans by a sample",
                      "a trace of one load");
  if (spec.sample_share > 0) {
    const std::unique_ptr<ArrivalSource> all = all_arrivals(spec, target_rps, seed, nullptr);
    return part_of(spec, *all, 0, end_of_sample(spec, *all));
  }
  if (spec.shape == "file" && target_rps <= 0)
    throw input_error(place_of_field(spec, "sample_share"),
                      "0 for a trace as it was recorded, which is the same with every seed",
                      "the share of the trace that is the sample, such as 0.25, or a rate above 0");
  const std::uint64_t other = RandomStream(seed, "planning sample").bits();
  return all_arrivals(spec, target_rps, other, nullptr);
}

}  // namespace harness
