#include "workloads/spec/stream_class.h"

namespace harness {
namespace {

constexpr int kMaxStreams = 1'000'000;

void list_rates(StreamClass& streams, ParamList& params) {
  params.integer("count", streams.count, 1, kMaxStreams, "number of streams");
  params.number("rps", streams.rps, 1e-9, 1e9,
                "requests/s of the whole class over the run where rates_rps is 0, else its weight among the "
                "classes; bursts and recorded requests have rates of their own");
  params.choice("rates", streams.rates, {"equal", "exponential", "lognormal"},
                "how that is shared among the streams: equally, or in proportion to numbers drawn from an "
                "exponential (SHEPHERD section 2.2) or a lognormal distribution");
  params.number("sigma", streams.sigma, 0, 10, "lognormal: standard deviation of the logarithm of the rates");
  params.number("cut_below", streams.cut_below, 0.1, 10,
                "lognormal: no rate lies more of these standard deviations below the median");
  params.number("cut_above", streams.cut_above, 0.1, 10, "lognormal: the same, above the median");
  params.integer("population", streams.population, 1, 1'000'000'000,
                 "another one draws other rates, of streams and of their minutes; the workload's seed draws "
                 "the requests alone");
}

void list_minutes(StreamClass& streams, ParamList& params) {
  params.choice("minutes", streams.minutes, {"constant", "gamma", "recorded"},
                "whether a stream's rate changes from minute to minute: not; times independent gamma "
                "factors; as the counts of a function drawn from the trace's file, from a minute drawn too");
  params.number("minute_s", streams.minute_s, 1e-3, 1e7, "length of a minute in the run");
  params.number("minute_cv_from", streams.minute_cv_from, 1e-3, 100,
                "gamma: least coefficient of variation of a stream's minutes; each stream has its own, drawn "
                "log-uniformly");
  params.number("minute_cv_to", streams.minute_cv_to, 1e-3, 100, "gamma: the largest");
  params.number(
      "minute_cv_knee", streams.minute_cv_knee, 1e-9, 1e12,
      "gamma: above this rate, in medians of the class (equal and exponential rates: means), the CV falls");
  params.number("minute_cv_slope", streams.minute_cv_slope, 0, 10,
                "gamma: by (rate / knee) to the power of minus this; 0: it does not fall");
}

void list_process(StreamClass& streams, ParamList& params) {
  params.choice("process", streams.process, {"poisson", "uniform", "mmpp", "bursts", "recorded"},
                "how each stream places its requests: at random; evenly, from a phase of its own on; Poisson "
                "with a rate that changes between two states; all of a burst at once; at the times that the "
                "trace's file has for `module`");
  params.number("mmpp_ratio", streams.mmpp_ratio, 1, 1e6,
                "mmpp: rate of the high state / rate of the low state");
  params.number("mmpp_high_share", streams.mmpp_high_share, 0.001, 0.999,
                "mmpp: share of the time in the high state");
  params.number("mmpp_high_s", streams.mmpp_high_s, 0.001, 1e6,
                "mmpp: mean length of a stay in the high state");
  params.integer("mmpp_chains", streams.mmpp_chains, 0, kMaxStreams,
                 "mmpp: how many independent states there are, stream i having number i modulo this; 0: each "
                 "stream its own. As many as entries: streams of one module change together");
  params.integer("burst", streams.burst, 1, 1'000'000'000, "bursts: requests in one, of each stream");
  params.number("period_ms", streams.period_ms, 1e-6, 1e9, "bursts: time from one to the next");
  params.number("offset_ms", streams.offset_ms, 0, 1e9, "bursts: time of the first");
}

StreamClass azure_functions(StreamProcess process) {
  StreamClass streams;
  streams.count = 46'000;
  streams.rates = StreamRates::kLognormal;
  streams.minutes = StreamMinutes::kGamma;
  streams.process = process;
  return streams;
}

StreamClass bursts_to(const char* module, int burst, double period_ms, double offset_ms) {
  StreamClass streams;
  streams.module = module;
  streams.process = StreamProcess::kBursts;
  streams.burst = burst;
  streams.period_ms = period_ms;
  streams.offset_ms = offset_ms;
  return streams;
}

}  // namespace

void StreamClass::list(ParamList& params) {
  params.any_text("module", module, "a module without pres",
                  "where the streams enter; empty: the pipeline's entries in turn");
  list_rates(*this, params);
  list_minutes(*this, params);
  list_process(*this, params);
  params
      .number_axis("slo_ms", slo_ms, 1e-3, 1e7, "end-to-end latency objectives that the streams have in turn")
      .by_default("the workload's");
}

InputPlace place_of_field(const StreamClass& streams, const std::string& field) {
  const auto place = streams.places.find(field);
  if (place != streams.places.end()) return place->second;
  const std::string table = streams.place.key;
  return {streams.place.file, streams.place.line, table.empty() ? field : table + "." + field};
}

std::string needed_for(const StreamClass& streams, const std::string& key) {
  const bool bursts = streams.process == StreamProcess::kBursts;
  const bool recorded = streams.process == StreamProcess::kRecorded;
  if (key == "count" || key == "population")
    return recorded ? "process = poisson, uniform, mmpp or bursts" : "";
  if (key == "rps" || key == "rates")
    return has_own_rate(streams) ? "process = poisson, uniform or mmpp" : "";
  if (key == "sigma" || key.starts_with("cut_"))
    return has_own_rate(streams) || streams.rates != StreamRates::kLognormal ? "rates = lognormal" : "";
  if (key == "minute_s")
    return streams.minutes == StreamMinutes::kConstant ? "minutes = gamma or recorded" : "";
  if (key.starts_with("minute_cv_")) return streams.minutes == StreamMinutes::kGamma ? "" : "minutes = gamma";
  if (key.starts_with("mmpp_")) return streams.process == StreamProcess::kMmpp ? "" : "process = mmpp";
  if (key == "burst" || key == "period_ms" || key == "offset_ms") return bursts ? "" : "process = bursts";
  return "";
}

void check_streams(const StreamClass& streams) {
  if (streams.minute_cv_to < streams.minute_cv_from) {
    throw input_error(place_of_field(streams, "minute_cv_to"), text_of(streams.minute_cv_to),
                      "at least minute_cv_from (" + text_of(streams.minute_cv_from) + ")");
  }
  if (has_own_rate(streams) && streams.minutes != StreamMinutes::kConstant) {
    const bool bursts = streams.process == StreamProcess::kBursts;
    throw input_error(
        place_of_field(streams, "minutes"),
        std::string("rates that change, with process = \"") + (bursts ? "bursts\"" : "recorded\""),
        "\"constant\"");
  }
  if (streams.process == StreamProcess::kRecorded && streams.module.empty())
    throw input_error(place_of_field(streams, "module"), "nothing, with process = \"recorded\"",
                      "the module whose requests they are, as the trace's file names it");
  for (const auto& [key, place] : streams.places) {
    const std::string needed = needed_for(streams, key);
    if (needed.empty()) continue;
    const bool recorded = streams.process == StreamProcess::kRecorded;
    throw input_error(place,
                      key + (recorded ? " with process = \"recorded\"" : " in a class without " + needed),
                      "with " + needed);
  }
}

std::vector<StreamClass> stream_preset(const std::string& shape) {
  if (shape == "two-streams") return {bursts_to("resnest269", 1, 1, 0), bursts_to("resnet18", 1024, 120, 5)};
  if (shape == "maf-stable") return {azure_functions(StreamProcess::kPoisson)};
  if (shape == "maf-bursty") return {azure_functions(StreamProcess::kMmpp)};
  if (shape != "poisson-streams") return {};
  StreamClass streams;
  streams.count = 1000;
  streams.rps = 1000;
  streams.rates = StreamRates::kExponential;
  return {streams};
}

std::vector<std::string> stream_preset_names() {
  return {"two-streams", "poisson-streams", "maf-stable", "maf-bursty"};
}

}  // namespace harness
