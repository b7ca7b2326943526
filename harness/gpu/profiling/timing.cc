#include "harness/gpu/profiling/timing.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/machine/this_host.h"

namespace harness {
namespace {

std::chrono::steady_clock::time_point point_of(TimeNs time_ns) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(time_ns));
}

}  // namespace

Device::Wake SteadyWait::wake() {
  return [this] {
    const std::scoped_lock lock(mutex_);
    is_woken_ = true;
    woken_.notify_one();
  };
}

TimeNs SteadyWait::now_ns() const { return steady_ns(); }

void SteadyWait::sleep_until(TimeNs time_ns) { std::this_thread::sleep_until(point_of(time_ns)); }

void SteadyWait::wait_for_device(TimeNs deadline_ns) {
  std::unique_lock lock(mutex_);
  woken_.wait_until(lock, point_of(deadline_ns), [this] { return is_woken_; });
  is_woken_ = false;
}

namespace {

constexpr double kOutside = 0.05;

std::vector<TimeNs> sorted(std::span<const TimeNs> times) {
  HARNESS_CHECK(!times.empty(), "no timing to summarise");
  std::vector<TimeNs> values(times.begin(), times.end());
  std::sort(values.begin(), values.end());
  return values;
}

TimeNs middle_of(const std::vector<TimeNs>& values) {
  const std::size_t n = values.size();
  if (n % 2 == 1) return values[n / 2];
  const TimeNs below = values[n / 2 - 1];
  return below + (values[n / 2] - below + 1) / 2;
}

TimeNs nearest_rank(const std::vector<TimeNs>& values, std::size_t percent) {
  const std::size_t rank = (values.size() * percent + 99) / 100;
  return values[std::max<std::size_t>(rank, 1) - 1];
}

std::vector<std::size_t> order_of_round(std::size_t things, std::uint64_t seed, std::size_t round) {
  std::vector<std::size_t> order(things);
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomStream random(seed, "timing order", round);
  for (std::size_t i = things; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

bool all_narrow(const RepeatedTimes& result, double half_width) {
  for (const std::vector<TimeNs>& times : result.times) {
    if (summary_of(times).half_width_share() > half_width) return false;
  }
  return true;
}

}  // namespace

std::optional<MedianRanks> median_ranks(std::size_t n) {
  if (n == 0) return std::nullopt;
  const boost::math::binomial_distribution<double> below(static_cast<double>(n), 0.5);
  const auto outside = [&](std::size_t j) { return 2 * cdf(below, static_cast<double>(j) - 1); };
  // The normal approximation is a good place to begin: j is about n / 2 - 0.98 sqrt(n).
  const double half = static_cast<double>(n) / 2;
  std::size_t j = static_cast<std::size_t>(std::max(1.0, half - std::sqrt(half * 2)));
  while (j > 1 && outside(j) > kOutside) --j;
  while (outside(j + 1) <= kOutside) ++j;
  if (outside(j) > kOutside) return std::nullopt;
  return MedianRanks{j, n + 1 - j};
}

double TimingSummary::half_width_share() const {
  if (!half_width_ns || median_ns <= 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(*half_width_ns) / static_cast<double>(median_ns);
}

TimingSummary summary_of(std::span<const TimeNs> times) {
  const std::vector<TimeNs> values = sorted(times);
  TimingSummary summary;
  summary.repeats = values.size();
  summary.median_ns = middle_of(values);
  summary.p10_ns = nearest_rank(values, 10);
  summary.p90_ns = nearest_rank(values, 90);
  summary.p99_ns = nearest_rank(values, 99);
  summary.mean_ns =
      std::accumulate(values.begin(), values.end(), TimeNs{0}) / static_cast<TimeNs>(values.size());
  if (const auto ranks = median_ranks(values.size()))
    summary.half_width_ns = (values[ranks->high - 1] - values[ranks->low - 1] + 1) / 2;
  return summary;
}

TimeNs median_of(std::span<const TimeNs> times) { return middle_of(sorted(times)); }

std::optional<LatencyFit> fit_latency(std::span<const int> batches, std::span<const TimeNs> latency_ns) {
  HARNESS_CHECK(batches.size() == latency_ns.size(), "a latency for each batch size");
  const std::size_t n = batches.size();
  double mean_b = 0;
  double mean_d = 0;
  for (std::size_t i = 0; i < n; ++i) {
    mean_b += batches[i] / static_cast<double>(n);
    mean_d += static_cast<double>(latency_ns[i]) / static_cast<double>(n);
  }
  double bb = 0;
  double bd = 0;
  double dd = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double b = batches[i] - mean_b;
    const double d = static_cast<double>(latency_ns[i]) - mean_d;
    bb += b * b;
    bd += b * d;
    dd += d * d;
  }
  if (n < 2 || bb <= 0) return std::nullopt;
  LatencyFit fit;
  fit.alpha_ns = bd / bb;
  fit.beta_ns = mean_d - fit.alpha_ns * mean_b;
  double left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto latency = static_cast<double>(latency_ns[i]);
    const double error = std::abs(fit.at(batches[i]) - latency);
    left += error * error;
    if (fit.largest_error_batch != 0 && error / latency <= fit.largest_error) continue;
    fit.largest_error = error / latency;
    fit.largest_error_batch = batches[i];
  }
  if (dd > 0) fit.r2 = 1 - left / dd;
  return fit;
}

const char* name_of(StoppedBy reason) {
  constexpr const char* kNames[] = {"narrow", "rounds", "time"};
  return kNames[static_cast<int>(reason)];
}

double RepeatedTimes::drift() const {
  if (times.empty() || times.front().size() < 2) return 0;
  double sum = 0;
  for (const std::vector<TimeNs>& each : times) {
    const std::size_t half = each.size() / 2;
    const std::span<const TimeNs> all(each);
    const TimeNs first = median_of(all.first(half));
    sum += static_cast<double>(median_of(all.last(half))) / static_cast<double>(first) - 1;
  }
  return sum / static_cast<double>(times.size());
}

RepeatedTimes time_repeatedly(std::size_t things, const std::function<TimeNs(std::size_t)>& time_once,
                              const RepeatRule& rule, const std::function<TimeNs()>& now_ns) {
  HARNESS_CHECK(things > 0 && rule.least_rounds >= 6 && rule.most_rounds >= rule.least_rounds,
                "a rule that cannot be met");
  const TimeNs end_ns = now_ns() + rule.limit_ns;
  for (std::size_t thing = 0; thing < things; ++thing) {
    for (int run = 0; run < rule.warm_up && (run == 0 || now_ns() < end_ns); ++run) time_once(thing);
  }
  RepeatedTimes result;
  result.times.resize(things);
  std::size_t next_look = static_cast<std::size_t>(rule.least_rounds);
  for (std::size_t round = 1;; ++round) {
    for (const std::size_t thing : order_of_round(things, rule.seed, round)) {
      const TimeNs time = time_once(thing);
      HARNESS_CHECK(time > 0, "a timing of nothing");
      result.times[thing].push_back(time);
    }
    if (round >= next_look) {
      if (all_narrow(result, rule.half_width)) return result;
      next_look = round + std::max<std::size_t>(1, round / 4);
    }
    const bool last = round == static_cast<std::size_t>(rule.most_rounds);
    if (last || now_ns() >= end_ns) {
      const bool narrow =
          round >= static_cast<std::size_t>(rule.least_rounds) && all_narrow(result, rule.half_width);
      result.stopped_by = narrow ? StoppedBy::kNarrow : last ? StoppedBy::kRounds : StoppedBy::kTime;
      return result;
    }
  }
}

}  // namespace harness
