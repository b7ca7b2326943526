// The streams of a trace of shape streams, and the rate of each in every minute.
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

/// The invocations by minute of single functions, each divided by its mean; days follow one another.
using FunctionMinutes = std::vector<std::vector<float>>;

/// Returns the CV of the minutes of a stream with that rate (over the median of its class), for which `drawn`
/// was drawn.
double minute_cv(const StreamClass& spec, double drawn, double rate);

/// The streams of one class.
class ClassPopulation {
 public:
  /// Draws the streams' rates. `number` is the class's index in the trace. `functions` (not empty if the
  /// minutes are recorded) and `times` (not empty if the requests are) outlive this.
  ClassPopulation(const StreamClass& spec, std::size_t number, TimeNs duration_ns,
                  const FunctionMinutes& functions, std::span<const TimeNs> times);

  const StreamClass& spec() const { return spec_; }
  std::size_t streams() const { return base_rps_.size(); }
  /// Returns the length of a minute, or of the whole run if rates do not change.
  TimeNs minute_ns() const { return minute_ns_; }
  /// Sets `rps` to the requests/s of each stream in that minute, counted from 0; takes a few ten ns a stream.
  void rates_in(std::int64_t minute, std::vector<double>& rps) const;
  /// Returns the recorded requests within the run.
  std::span<const TimeNs> times() const { return times_; }
  /// Returns the expected requests of the run, by stream; for bursts and recorded requests the exact numbers.
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
  std::vector<float> gamma_shape_;  ///< shape of the gamma factors of each stream
  const FunctionMinutes* functions_ = nullptr;
  std::span<const TimeNs> times_;
  std::vector<std::uint32_t> function_;      ///< function whose minutes each stream has
  std::vector<std::uint32_t> first_minute_;  ///< minute of that function with which each stream's run begins
};

/// All classes of a trace. Immutable once made; shared by the sources of its requests.
///
/// Rates depend only on the classes and their `population`, not on a seed. If target_rps is 0, the expected
/// requests of the run are `rps` x duration for each class; else all rates are multiplied so that their sum
/// is target_rps x duration.
class StreamPopulation {
 public:
  /// Reads the trace's file if it has one. Throws InputError for a target rate with bursts or recorded
  /// requests, which cannot be scaled; for recorded requests of a module without a class; for a class without
  /// requests in the run; for too many minutes; and as the file's reader does.
  StreamPopulation(const TraceSpec& spec, double target_rps);
  StreamPopulation(const StreamPopulation&) = delete;  // classes refer to what the file has
  StreamPopulation& operator=(const StreamPopulation&) = delete;

  const std::vector<ClassPopulation>& classes() const { return classes_; }
  TimeNs duration_ns() const { return duration_ns_; }
  double expected_requests() const;
  /// Returns one line if recorded requests come after the run, else nothing.
  std::vector<std::string> remarks() const;
  std::size_t streams() const;
  /// Returns the mean rate over the run of each stream, class after class.
  std::vector<double> mean_rps() const;

 private:
  TimeNs duration_ns_;
  FunctionMinutes functions_;
  std::map<std::string, std::vector<TimeNs>> times_;  ///< recorded requests by module
  std::vector<ClassPopulation> classes_;
};

/// Returns the streams in a pipeline, each with its entry, SLO and mean rate. A class without a module goes
/// to the entries in turn; its SLOs change when all entries have had a stream. Throws InputError if a class
/// names a module that is no entry.
std::vector<Stream> streams_of(const StreamPopulation& population, const Pipeline& pipeline, TimeNs slo_ns);

}  // namespace harness
