#include "workloads/spec/trace_spec.h"

#include <algorithm>
#include <cmath>

#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "workloads/spec/trace_keys.h"
#include "workloads/spec/unused_key.h"

namespace harness {
namespace {

constexpr double kMinScv = 1e-4;
constexpr double kLargestScv = 1e4;

/// Lets a parameter that is a text be the number of a column, with or without quotes.
void allow_column(Param& param) {
  param.set = [set = param.set](const ParamValue& value) {
    const double* number = std::get_if<double>(&value);
    const bool is_place =
        number != nullptr && *number == std::floor(*number) && *number >= 0 && *number < 1e6;
    return set(is_place ? ParamValue(text_of(value)) : value);
  };
}

void list_scaling(TraceSpec& spec, ParamList& params) {
  params.number("duration_s", spec.duration_s, 0, 1e9,
                "length of the load in replayed seconds, where it is given also of a file that is sent as "
                "recorded and ends before; 0: all of a file, in whole bins (an error for generated shapes)");
  params.choice(
      "scale_to", spec.scale_to, {"mean", "peak", "start"},
      "what the target rate is: the mean of the replayed window, its highest mean over one second, or the "
      "rate of its first bin");
  params.choice(
      "scale_by", spec.scale_by, {"auto", "smoothed", "raw"},
      "the file's curve that is scaled: its centred moving mean over smooth_s, or its raw counts (whose "
      "counting noise then grows into bursts that the source does not have); auto: smoothed where counts are "
      "no more uneven than Poisson noise, else raw, as of send times");
  params.number("smooth_s", spec.smooth_s, 0, 1e7, "scale_by = smoothed: the window, in source seconds");
}

void list_process(TraceSpec& spec, ParamList& params) {
  params.choice(
      "process", spec.process, {"poisson", "uniform", "gamma", "mmpp"},
      "how requests are placed at the curve's rate; the shapes constant, poisson, gamma, mmpp and transition "
      "fix it");
  params.number(
      "cv", spec.cv, 0.01, 100,
      "gamma: coefficient of variation (sigma / mean) of the gaps between requests at a constant rate");
  params.number(
      "scv", spec.scv, 0, kLargestScv,
      "gamma: in place of cv its square, which InferLine calls CV (gamma gaps of shape 1 / scv); 0: "
      "that of cv");
  params.number("mmpp_ratio", spec.mmpp_ratio, 1, 1e6,
                "mmpp: rate of the high state / rate of the low state");
  params.number("mmpp_high_share", spec.mmpp_high_share, 0.001, 0.999,
                "mmpp: share of the time in the high state");
  params.number("mmpp_high_s", spec.mmpp_high_s, 0.001, 1e6,
                "mmpp: mean length of a stay in the high state, in replayed seconds");
  params.number("step_ratio", spec.step_ratio, 0, 1e6, "step: rate within the step over the rate outside");
  params.number("step_from", spec.step_from, 0, 1, "step: where the step begins, as a share of the duration");
  params.number("step_to", spec.step_to, 0, 1, "step: where the step ends, as a share of the duration");
  params.number("transition_ratio", spec.transition_ratio, 0, 1e6,
                "transition: the rate after it over the rate before; in between in a straight line");
  params.number("transition_scv", spec.transition_scv, 0, kLargestScv,
                "transition: the squared CV after it, from scv or cv in a straight line; 0: the same "
                "as before");
  params.number("transition_from_s", spec.transition_from_s, 0, 1e9,
                "transition: where it begins, in replayed seconds of the trace, its sample_share included");
  params.number("transition_s", spec.transition_s, 0, 1e9,
                "transition: how long it takes (0: at once); duration_s may cut it");
}

void list_source(TraceSpec& spec, ParamList& params) {
  params.choice("time_unit", spec.time_unit, {"auto", "s", "ms", "us", "ns"},
                "file: the unit of its times and gaps; auto: what the file says");
  params.choice("rate_unit", spec.rate_unit, {"auto", "s", "minute", "hour", "day"},
                "format = rates: its numbers are requests per this; auto: what the file says");
  params.choice("holes", spec.holes, {"refuse", "zero", "interpolate", "cut"},
                "file: what becomes of bins of counts that it leaves out: they have no requests (zero), what "
                "lies on a line between their neighbours (interpolate), or are no time at all (cut)");
  params.number("bin_s", spec.bin_s, 0, 1e7,
                "file: length of a bin of counts in source seconds; 0: what the file says (a '# bin_s = X' "
                "line, times beside the counts; 60 for azure_functions). Times: bins in which they are "
                "counted when scaled; 0: 1");
  params.number("from_s", spec.from_s, 0, 1e9,
                "file, wiki, tweet, azure, autoscale-*: where the replay begins, in source seconds");
  params.number("to_s", spec.to_s, 0, 1e9,
                "file: where the replay ends, in source seconds; 0: at the file's end");
  params.number(
      "compress", spec.compress, 0, 1e7,
      "source seconds per replayed second; 0: 1 for a file, 1440 for wiki (a day in 60 s), 288 for tweet and "
      "azure (a day in 300 s), 2 for autoscale-* (a minute in 30 s, an hour in 1800 s)");
  params.number(
      "clip_rps", spec.clip_rps, 0, 1e12,
      "file, wiki, tweet, azure, autoscale-*: cuts the rate of each bin to this many requests per source "
      "second; 0: no cut");
  params.number(
      "contrast", spec.contrast, 0, 1000,
      "file, wiki, tweet, azure, autoscale-*: stretches the rates about their mean over the replayed "
      "window, to the larger of 0 and mean + contrast x (rate - mean), before they are scaled; more "
      "than 1: higher peaks over the same mean, less: a flatter load, 0: a constant rate");
  params.choice("interpolate", spec.interpolate, {"auto", "linear", "none"},
                "rate in a straight line between the middles of bins, or constant in each; auto: linear for "
                "bins of 600 "
                "source seconds and more (hourly counts), else none");
  params.flag("repeat", spec.repeat,
              "file: begin again when it is shorter than duration_s (otherwise the load ends)");
  params.number("sample_share", spec.sample_share, 0, 0.9,
                "share of the trace, from its beginning, that systems which plan by a sample are shown and "
                "that is not sent (InferLine section 6: 0.25); 0: they are shown the requests of another "
                "seed");
}

InputError wrong(const TraceSpec& spec, const char* key, const std::string& found,
                 const std::string& allowed) {
  return input_error(place_of_field(spec, key), found, allowed);
}

void check_name(const TraceSpec& spec, const char* key, const std::string& value,
                const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), value) != names.end()) return;
  const std::string near = nearest_name(value, names);
  throw wrong(spec, key, "'" + value + "'",
              join_names(names) + (near.empty() ? "" : " (did you mean " + near + "?)"));
}

bool is_streams(const TraceSpec& spec) { return spec.shape == "streams"; }

void check_first_burst(const StreamClass& streams, double duration_s) {
  if (streams.process != StreamProcess::kBursts || !(duration_s > 0)) return;
  if (streams.offset_ms < duration_s * 1000) return;
  throw input_error(place_of_field(streams, "offset_ms"), text_of(streams.offset_ms),
                    "less than the " + text_of(duration_s * 1000) + " ms of duration_s");
}

/// Checks the file of the trace, from which classes take minutes or requests.
void check_recorded(const TraceSpec& spec, bool minutes, bool requests) {
  if (minutes && requests)
    throw wrong(spec, "streams", "classes with recorded minutes and classes with recorded requests",
                "one kind in a trace: it has one file");
  const bool recorded = minutes || requests;
  if (recorded == spec.file.empty()) {
    throw wrong(spec, "file", recorded ? "nothing" : "'" + spec.file + "' of which no class takes anything",
                recorded ? std::string("the file of the recorded ") + (minutes ? "minutes" : "requests")
                         : "a class with minutes = \"recorded\" or process = \"recorded\"");
  }
  const std::string format = requests ? "times" : "azure_functions";
  if (recorded && spec.format != "auto" && spec.format != format)
    throw wrong(spec, "format", "'" + spec.format + "' with shape = \"streams\"", "auto or " + format);
}

void check_classes(const TraceSpec& spec) {
  constexpr int kMaxStreamsInAll = 1'000'000;
  if (spec.streams.empty()) {
    throw wrong(spec, "streams", "no class of streams",
                "one [[trace." + spec.name + ".streams]] or more, or a shape of " +
                    join_names(stream_preset_names()));
  }
  bool minutes = false, requests = false;
  std::vector<std::string> modules;  // with recorded requests
  double count = 0;
  for (const StreamClass& one : spec.streams) {
    check_streams(one);
    check_first_burst(one, spec.duration_s);
    minutes |= one.minutes == StreamMinutes::kRecorded;
    count += one.count;
    if (one.process != StreamProcess::kRecorded) continue;
    requests = true;
    if (std::find(modules.begin(), modules.end(), one.module) != modules.end())
      throw input_error(place_of_field(one, "module"),
                        "'" + one.module + "' twice with process = \"recorded\"", "each module once");
    modules.push_back(one.module);
  }
  if (count > kMaxStreamsInAll)
    throw wrong(spec, "streams", text_of(count) + " streams", "at most " + std::to_string(kMaxStreamsInAll));
  check_recorded(spec, minutes, requests);
}

/// Checks squared CVs, and the transition from one to another.
void check_process(const TraceSpec& spec) {
  if (spec.scv > 0 && spec.places.contains("cv"))
    throw wrong(spec, "scv", "scv beside cv", "one of them: scv is the square of cv");
  for (const auto& [key, scv] : {std::pair{"scv", spec.scv}, {"transition_scv", spec.transition_scv}}) {
    if (scv > 0 && scv < kMinScv)
      throw wrong(spec, key, text_of(scv), "0, or " + text_of(kMinScv) + " to " + text_of(kLargestScv));
  }
  if (spec.shape == "transition" && spec.transition_from_s >= spec.duration_s)
    throw wrong(spec, "transition_from_s", text_of(spec.transition_from_s),
                "less than the " + text_of(spec.duration_s) + " s of duration_s");
}

}  // namespace

InputPlace place_of_field(const TraceSpec& spec, const std::string& field) {
  const auto place = spec.places.find(field);
  if (place != spec.places.end()) return place->second;
  const bool of_experiment = !spec.place_file.empty() && !spec.name.empty();
  return {spec.place_file, spec.place_line, of_experiment ? "trace." + spec.name + "." + field : field};
}

void TraceSpec::list_all(ParamList& params) {
  params.one_of("shape", shape, trace_shape_names(), "what the load looks like; file reads a recorded trace");
  params.any_text("file", file, "a path",
                  "file: the recorded trace, plain or packed, or an imported one; a path from the experiment "
                  "file's folder, or $HARNESS_DATA/...");
  params.one_of("format", format, trace_format_names(), "file: how to read it");
  allow_column(params.any_text(
      "column", column, "a name, a number, or several separated by commas",
      "file: the column of counts, or the function's hash; of streams of recorded requests that of their "
      "modules; empty: what the file says, or all functions"));
  allow_column(params.any_text("time_column", time_column, "a name or a number",
                               "file: the column of times or gaps; empty: what the file says"));
  params.any_text("where", where, "COLUMN=VALUE, several separated by commas",
                  "file: the rows that are read, such as metric_name=http_reqs; empty: all");
  allow_column(params.any_text(
      "group_by", group_by, "a name or a number",
      "file: the column whose equal values are one request, sent at the first of their times; "
      "empty: each row is a request"));
  list(params);
}

void TraceSpec::list(ParamList& params) {
  list_scaling(*this, params);
  list_process(*this, params);
  list_source(*this, params);
}

std::vector<std::string> trace_shape_names() {
  std::vector<std::string> names = {"constant", "poisson", "gamma", "mmpp", "step",   "transition",
                                    "wiki",     "tweet",   "azure", "file", "streams"};
  const std::vector<std::string> of_autoscale = autoscale_shape_names();
  names.insert(names.end() - 2, of_autoscale.begin(), of_autoscale.end());
  for (const std::string& name : stream_preset_names()) names.push_back(name);
  return names;
}

std::vector<std::string> autoscale_shape_names() {
  return {"autoscale-slow", "autoscale-quick", "autoscale-spike",
          "autoscale-dual", "autoscale-large", "autoscale-steep"};
}

bool is_autoscale_shape(const std::string& shape) {
  const std::vector<std::string> names = autoscale_shape_names();
  return std::find(names.begin(), names.end(), shape) != names.end();
}

void resolve_preset(TraceSpec& spec) {
  std::vector<StreamClass> classes = stream_preset(spec.shape);
  if (classes.empty() || !spec.streams.empty()) return;
  spec.shape = "streams";
  for (StreamClass& one : classes) one.place = {spec.place_file, spec.place_line, ""};
  spec.streams = std::move(classes);
}

std::vector<std::string> trace_format_names() {
  return {"auto", "times",           "counts",    "rates",    "counter",
          "gaps", "azure_functions", "azure_llm", "burstgpt", "mooncake"};
}

void check_trace(const TraceSpec& spec) {
  TraceSpec copy = spec;
  ParamList params;
  copy.list_all(params);
  for (const std::string& key : reading_keys()) {
    const std::string text = text_of(params.find(key)->get());
    if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' '; }))
      throw wrong(spec, key.c_str(), "'" + text + "'", "a text without control characters");
  }
  check_name(spec, "shape", spec.shape, trace_shape_names());
  check_name(spec, "format", spec.format, trace_format_names());
  const bool is_file = spec.shape == "file";
  if (is_file && spec.file.empty()) throw wrong(spec, "file", "nothing", "a path, since shape = file");
  if (is_streams(spec)) {
    check_classes(spec);
  } else if (!spec.streams.empty()) {
    throw wrong(spec, "streams", "classes of streams with shape " + spec.shape, "shape = \"streams\"");
  }
  check_keys(spec);
  const bool has_recorded = std::any_of(spec.streams.begin(), spec.streams.end(), [](const StreamClass& one) {
    return one.process == StreamProcess::kRecorded;
  });
  if (!is_file && !has_recorded && !(spec.duration_s > 0)) {
    throw wrong(spec, "duration_s", "0 with shape " + spec.shape,
                "more than 0 s (0 is for files and recorded requests)");
  }
  check_process(spec);
  if (spec.to_s > 0 && spec.to_s <= spec.from_s) {
    throw wrong(spec, "to_s", text_of(spec.to_s),
                "more than from_s (" + text_of(spec.from_s) + "), or 0 for the end");
  }
  if (spec.shape == "transition" && spec.scale_to == ScaleTo::kStart && spec.transition_from_s <= 0 &&
      spec.transition_s <= 0) {
    throw wrong(spec, "transition_from_s", "0 with transition_s = 0 and scale_to = start",
                "more than 0, or a transition that takes time: there is no rate before it");
  }
  if (spec.shape == "step" && spec.step_to < spec.step_from) {
    throw wrong(spec, "step_to", text_of(spec.step_to),
                "at least step_from (" + text_of(spec.step_from) + ")");
  }
  if (spec.shape == "step" && spec.step_ratio <= 0 && spec.step_to - spec.step_from >= 1) {
    throw wrong(spec, "step_ratio", "0 over the whole duration", "more than 0, or a shorter step");
  }
}

bool asks_for_duration(const TraceSpec& spec) {
  return spec.places.contains("duration_s") || spec.duration_s != TraceSpec().duration_s;
}

double compression_of(const TraceSpec& spec) {
  if (spec.compress > 0) return spec.compress;
  if (spec.shape == "wiki") return 1440;
  if (spec.shape == "tweet" || spec.shape == "azure") return 288;
  if (is_autoscale_shape(spec.shape)) return 2;
  return 1;
}

ArrivalProcess process_of(const TraceSpec& spec) {
  if (spec.shape == "constant") return ArrivalProcess::kUniform;
  if (spec.shape == "poisson") return ArrivalProcess::kPoisson;
  if (spec.shape == "gamma" || spec.shape == "transition") return ArrivalProcess::kGamma;
  return spec.shape == "mmpp" ? ArrivalProcess::kMmpp : spec.process;
}

}  // namespace harness
