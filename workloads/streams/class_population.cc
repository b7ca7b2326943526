#include "workloads/streams/class_population.h"

#include <algorithm>

#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/core/portable_math.h"
#include "harness/core/random_stream.h"

namespace harness {
namespace {

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

}  // namespace harness
