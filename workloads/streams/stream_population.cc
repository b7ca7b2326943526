#include "workloads/streams/stream_population.h"

#include <algorithm>
#include <string>

#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "workloads/streams/class_population.h"
#include "workloads/trace_files/imported_trace.h"

namespace harness {
namespace {

constexpr double kMaxStreamMinutes = 1e9;

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
