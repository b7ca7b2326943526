// The streams of a trace of shape streams: which there are, and the rate of each in every minute.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/core/arrivals.h"
#include "harness/core/pipeline.h"
#include "workloads/spec/trace_spec.h"

namespace harness {

/// Invocations by minute of single functions, each divided by its mean; days follow one another.
using FunctionMinutes = std::vector<std::vector<float>>;

/// The CV of the minutes of a stream with that rate (over the median of its class), for which `drawn` was
/// drawn.
double minute_cv(const StreamClass& spec, double drawn, double rate);

/// The streams of one class.
class ClassPopulation {
 public:
  /// Draws the streams' rates. `number` is the class's place in the trace; `functions` (not empty where the
  /// minutes are recorded) and `times` (where the requests are) outlive this.
  ClassPopulation(const StreamClass& spec, std::size_t number, TimeNs duration_ns,
                  const FunctionMinutes& functions, std::span<const TimeNs> times);

  const StreamClass& spec() const { return spec_; }
  std::size_t streams() const { return base_rps_.size(); }
  /// Length of a minute; the whole run where rates do not change.
  TimeNs minute_ns() const { return minute_ns_; }
  /// Requests/s of each stream in that minute, from 0; a few ten ns a stream.
  void rates_in(std::int64_t minute, std::vector<double>& rps) const;
  /// Of recorded requests those of the run.
  std::span<const TimeNs> times() const { return times_; }
  /// Expected requests of the run, by stream; of bursts and recorded ones the exact numbers.
  const std::vector<double>& expected() const { return expected_; }
  double total() const { return total_; }
  /// Multiplies all rates. Not for bursts and recorded requests.
  void scale(double factor);

 private:
  void draw_rates(std::size_t number);
  void draw_minutes(std::size_t number, const FunctionMinutes& functions);
  double factor(std::size_t stream, std::int64_t minute) const;
  double requests_of_bursts() const;

  StreamClass spec_;
  TimeNs duration_ns_;
  TimeNs minute_ns_;
  std::vector<double> base_rps_;
  std::vector<double> expected_;
  double total_ = 0;
  std::uint64_t gamma_seed_ = 0;
  std::vector<float> gamma_shape_;  ///< by stream
  const FunctionMinutes* functions_ = nullptr;
  std::span<const TimeNs> times_;
  std::vector<std::uint32_t> function_;      ///< by stream: whose minutes
  std::vector<std::uint32_t> first_minute_;  ///< by stream: which is the run's first
};

/// All classes of a trace. Immutable once made; shared by the sources of its requests.
///
/// Rates follow from the classes and their `population` alone, not from a seed. The expected requests of the
/// run are `rps` x duration for each class where target_rps is 0; else all rates are multiplied so that their
/// sum is target_rps x duration.
class StreamPopulation {
 public:
  /// Reads the trace's file if it has one. Throws InputError: a target rate for bursts or recorded
  /// requests, which cannot be scaled; recorded ones of a module without a class; a class without requests in
  /// the run; too many minutes; the file's reader.
  StreamPopulation(const TraceSpec& spec, double target_rps);
  StreamPopulation(const StreamPopulation&) = delete;  // classes refer to what the file has
  StreamPopulation& operator=(const StreamPopulation&) = delete;

  const std::vector<ClassPopulation>& classes() const { return classes_; }
  TimeNs duration_ns() const { return duration_ns_; }
  double expected_requests() const;
  /// A line if recorded requests come after the run.
  std::vector<std::string> remarks() const;
  std::size_t streams() const;
  /// By stream, class after class: mean over the run.
  std::vector<double> mean_rps() const;

 private:
  TimeNs duration_ns_;
  FunctionMinutes functions_;
  std::map<std::string, std::vector<TimeNs>> times_;  ///< recorded requests by module
  std::vector<ClassPopulation> classes_;
};

/// The streams in a pipeline, each with its entry, SLO and mean rate. A class without a module goes to the
/// entries in turn; its SLOs change when all entries have had a stream. Throws InputError where a class names
/// a module that is no entry.
std::vector<Stream> streams_of(const StreamPopulation& population, const Pipeline& pipeline, TimeNs slo_ns);

}  // namespace harness
