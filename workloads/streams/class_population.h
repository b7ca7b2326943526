// The streams of one class, and the rate of each in every minute.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "workloads/spec/stream_class.h"

namespace harness {

/// The invocations by minute of single functions, each divided by its mean; days follow one another.
using FunctionMinutes = std::vector<std::vector<float>>;

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

/// Returns the CV of the minutes of a stream with that rate (over the median of its class), for which `drawn`
/// was drawn.
double minute_cv(const StreamClass& spec, double drawn, double rate);

}  // namespace harness
