#include "workloads/streams/stream_population.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "workloads/trace_files/trace_import.h"

namespace harness {
namespace {

constexpr double kMaxStreamMinutes = 1e9;

/// Returns random numbers of a population: one sequence for each class and purpose.
RandomStream population_random(const StreamClass& spec, const char* purpose, std::size_t number) {
  return {static_cast<std::uint64_t>(spec.population), purpose, number};
}

double lognormal_between(const StreamClass& spec, RandomStream& random) {
  for (;;) {
    const double z = random.normal();
    if (z >= -spec.cut_below && z <= spec.cut_above) return portable_exp(spec.sigma * z);
  }
}

/// Returns the place of the class as a whole, for messages.
InputPlace place_of_class(const StreamClass& spec) { return place_of_field(spec, "count"); }

/// Checks that every class has requests in the file, and all modules in the file have a class.
void check_modules(const TraceSpec& spec, const std::map<std::string, std::vector<TimeNs>>& times) {
  std::vector<std::string> known;
  for (const auto& [module, sent] : times) known.push_back(module);
  std::vector<std::string> served;
  for (const StreamClass& one : spec.streams) {
    if (one.process != StreamProcess::kRecorded) continue;
    served.push_back(one.module);
    if (!times.contains(one.module))
      throw input_error(place_of_field(one, "module"),
                        "'" + one.module + "', of which " + spec.file + " has no request", join_names(known));
  }
  for (const std::string& module : known) {
    if (std::find(served.begin(), served.end(), module) == served.end())
      throw input_error(
          place_of_field(spec, "file"), "requests of '" + module + "', which no class has",
          "a [[trace." + spec.name + ".streams]] with process = \"recorded\" for each module of the file");
  }
}

}  // namespace

double minute_cv(const StreamClass& spec, double drawn, double rate) {
  constexpr double kMin = 1e-3;
  const double above = std::max(0.0, portable_log(rate / spec.minute_cv_knee));
  return std::max(kMin, drawn * portable_exp(-spec.minute_cv_slope * above));
}

ClassPopulation::ClassPopulation(const StreamClass& spec, std::size_t number, TimeNs duration_ns,
                                 const FunctionMinutes& functions, std::span<const TimeNs> times)
    : spec_(spec), duration_ns_(duration_ns), minute_ns_(duration_ns) {
  const auto count = static_cast<std::size_t>(spec_.count);
  base_rps_.resize(count);
  expected_.resize(count);
  if (spec_.process == StreamProcess::kBursts) {
    std::fill(base_rps_.begin(), base_rps_.end(), spec_.burst * 1000.0 / spec_.period_ms);
    std::fill(expected_.begin(), expected_.end(), requests_of_bursts());
    total_ = expected_[0] * spec_.count;
    return;
  }
  if (spec_.process == StreamProcess::kRecorded) {
    const auto end = std::lower_bound(times.begin(), times.end(), duration_ns);
    times_ = times.first(static_cast<std::size_t>(end - times.begin()));
    total_ = expected_[0] = static_cast<double>(times_.size());
    base_rps_[0] = total_ / ns_to_s(duration_ns);
    return;
  }
  draw_rates(number);
  if (spec_.minutes != StreamMinutes::kConstant) {
    minute_ns_ = std::max<TimeNs>(1, s_to_ns(spec_.minute_s));
    draw_minutes(number, functions);
  }
  std::vector<double> rps;
  std::int64_t minute = 0;
  for (TimeNs begin = 0; begin < duration_ns_; begin += minute_ns_, ++minute) {
    const double length_s = ns_to_s(std::min(minute_ns_, duration_ns_ - begin));
    rates_in(minute, rps);
    for (std::size_t i = 0; i < count; ++i) expected_[i] += rps[i] * length_s;
  }
  for (const double requests : expected_) total_ += requests;
  if (!(total_ > 0)) {
    throw input_error(place_of_class(spec_), "streams without requests in the minutes of the run",
                      "a longer duration_s, or another population");
  }
  scale(spec_.rps * ns_to_s(duration_ns_) / total_);
}

void ClassPopulation::draw_rates(std::size_t number) {
  RandomStream random = population_random(spec_, "stream rates", number);
  for (double& rps : base_rps_) {
    rps = spec_.rates == StreamRates::kEqual         ? 1
          : spec_.rates == StreamRates::kExponential ? random.exponential()
                                                     : lognormal_between(spec_, random);
  }
}

void ClassPopulation::draw_minutes(std::size_t number, const FunctionMinutes& functions) {
  RandomStream random = population_random(spec_, "stream minutes", number);
  const std::size_t count = base_rps_.size();
  if (spec_.minutes == StreamMinutes::kRecorded) {
    functions_ = &functions;
    for (std::size_t i = 0; i < count; ++i) {
      const auto function = static_cast<std::uint32_t>(random.below(functions.size()));
      function_.push_back(function);
      first_minute_.push_back(static_cast<std::uint32_t>(random.below(functions[function].size())));
    }
    return;
  }
  gamma_seed_ = random.bits();
  const double from = portable_log(spec_.minute_cv_from);
  const double width = portable_log(spec_.minute_cv_to) - from;
  for (std::size_t i = 0; i < count; ++i) {
    const double cv = minute_cv(spec_, portable_exp(from + width * random.uniform()), base_rps_[i]);
    gamma_shape_.push_back(static_cast<float>(1 / (cv * cv)));
  }
}

double ClassPopulation::factor(std::size_t stream, std::int64_t minute) const {
  if (spec_.minutes == StreamMinutes::kConstant) return 1;
  if (spec_.minutes == StreamMinutes::kRecorded) {
    const std::vector<float>& counts = (*functions_)[function_[stream]];
    return counts[(first_minute_[stream] + static_cast<std::size_t>(minute)) % counts.size()];
  }
  const std::uint64_t index = static_cast<std::uint64_t>(minute) * base_rps_.size() + stream;
  const double shape = gamma_shape_[stream];
  return RandomStream(gamma_seed_, "", index).gamma(shape) / shape;
}

void ClassPopulation::rates_in(std::int64_t minute, std::vector<double>& rps) const {
  rps = base_rps_;
  if (spec_.minutes == StreamMinutes::kConstant) return;
  for (std::size_t i = 0; i < rps.size(); ++i) rps[i] *= factor(i, minute);
}

void ClassPopulation::scale(double factor) {
  HARNESS_CHECK(!has_own_rate(spec_), "bursts and recorded requests have a rate of their own");
  for (double& rps : base_rps_) rps *= factor;
  for (double& requests : expected_) requests *= factor;
  total_ *= factor;
}

/// Returns the number of requests of bursts that come before the end of the run.
double ClassPopulation::requests_of_bursts() const {
  const TimeNs left = duration_ns_ - ms_to_ns(spec_.offset_ms);
  if (left <= 0) return 0;
  const TimeNs period = std::max<TimeNs>(1, ms_to_ns(spec_.period_ms));
  const std::int64_t bursts = (left - 1) / period + 1;
  return static_cast<double>(bursts) * spec_.burst;
}

StreamPopulation::StreamPopulation(const TraceSpec& spec, double target_rps)
    : duration_ns_(s_to_ns(spec.duration_s)) {
  const auto is_recorded = [](const StreamClass& one) { return one.process == StreamProcess::kRecorded; };
  const bool has_requests = std::any_of(spec.streams.begin(), spec.streams.end(), is_recorded);
  if (has_requests) {
    times_ = times_by_module(spec);
    check_modules(spec, times_);
    if (duration_ns_ == 0) {
      // The run is all of the file, in whole seconds.
      for (const auto& [module, times] : times_)
        duration_ns_ = std::max(duration_ns_, (times.back() / kNsPerS + 1) * kNsPerS);
    }
  } else if (!spec.file.empty()) {
    functions_ = imported_trace(spec, TraceParts::kFunctions).rates;
  }
  classes_.reserve(spec.streams.size());
  for (std::size_t i = 0; i < spec.streams.size(); ++i) {
    const StreamClass& one = spec.streams[i];
    if (has_own_rate(one) && target_rps > 0) {
      const bool bursts = one.process == StreamProcess::kBursts;
      throw input_error(place_of_field(one, "process"),
                        (bursts ? "bursts" : "recorded requests") +
                            std::string(", which cannot be scaled, and a rate of ") + text_of(target_rps),
                        "a rate of 0, at which each class has its own");
    }
    const double minutes = one.minutes == StreamMinutes::kConstant ? 1 : ns_to_s(duration_ns_) / one.minute_s;
    if (minutes * one.count > kMaxStreamMinutes) {
      throw input_error(place_of_field(one, "minute_s"), text_of(minutes) + " minutes of each stream",
                        "at most " + text_of(kMaxStreamMinutes) + " of all streams");
    }
    classes_.emplace_back(
        one, i, duration_ns_, functions_,
        is_recorded(one) ? std::span<const TimeNs>(times_.at(one.module)) : std::span<const TimeNs>());
    if (is_recorded(one) && !(classes_.back().total() > 0)) {
      throw input_error({spec.place_file, spec.place_line, "duration_s"},
                        text_of(spec.duration_s) + ", by when no request of '" + one.module + "' has come",
                        "more than " + text_of(ns_to_s(times_.at(one.module).front())));
    }
  }
  if (!(expected_requests() > 0)) {
    throw input_error({spec.place_file, spec.place_line, "duration_s"}, text_of(spec.duration_s),
                      "more than the time of the first request");
  }
  if (!(target_rps > 0)) return;
  const double factor = target_rps * ns_to_s(duration_ns_) / expected_requests();
  for (ClassPopulation& one : classes_) one.scale(factor);
}

double StreamPopulation::expected_requests() const {
  double total = 0;
  for (const ClassPopulation& one : classes_) total += one.total();
  return total;
}

std::vector<std::string> StreamPopulation::remarks() const {
  std::size_t late = 0;
  for (const auto& [module, times] : times_) late += times.size();
  for (const ClassPopulation& one : classes_) late -= one.times().size();
  if (late == 0) return {};
  return {std::to_string(late) + " requests of its file come after duration_s = " +
          text_of(ns_to_s(duration_ns_)) + " and are left out (0: all are sent)"};
}

std::size_t StreamPopulation::streams() const {
  std::size_t count = 0;
  for (const ClassPopulation& one : classes_) count += one.streams();
  return count;
}

std::vector<double> StreamPopulation::mean_rps() const {
  std::vector<double> rps;
  rps.reserve(streams());
  for (const ClassPopulation& one : classes_) {
    for (const double requests : one.expected()) rps.push_back(requests / ns_to_s(duration_ns_));
  }
  return rps;
}

std::vector<Stream> streams_of(const StreamPopulation& population, const Pipeline& pipeline, TimeNs slo_ns) {
  const std::vector<ModuleId> all = entries_in(pipeline);
  const std::vector<double> rps = population.mean_rps();
  std::vector<Stream> streams;
  streams.reserve(rps.size());
  for (const ClassPopulation& one : population.classes()) {
    const StreamClass& spec = one.spec();
    std::vector<ModuleId> entries;
    for (const ModuleId entry : all) {
      if (spec.module.empty() || pipeline.modules[entry].name == spec.module) entries.push_back(entry);
    }
    if (entries.empty()) {
      std::vector<std::string> names;
      for (const ModuleId entry : all) names.push_back(pipeline.modules[entry].name);
      throw input_error(place_of_field(spec, "module"), "'" + spec.module + "' in pipeline " + pipeline.name,
                        "a module without pres: " + join_names(names));
    }
    for (std::size_t i = 0; i < one.streams(); ++i) {
      const std::size_t round = i / entries.size();
      const TimeNs slo = spec.slo_ms.empty() ? slo_ns : ms_to_ns(spec.slo_ms[round % spec.slo_ms.size()]);
      streams.push_back({entries[i % entries.size()], slo, rps[streams.size()]});
    }
  }
  return streams;
}

}  // namespace harness
