#include "workloads/streams/stream_arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "workloads/streams/test_streams.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

struct Requests {
  std::vector<TimeNs> times;
  std::vector<StreamId> streams;
};

TraceSpec preset(const char* shape, double duration_s) {
  TraceSpec spec;
  spec.shape = shape;
  spec.duration_s = duration_s;
  resolve_preset(spec);
  return spec;
}

Requests all_of(ArrivalSource& source, std::size_t span = 4096) {
  Requests all;
  std::vector<TimeNs> times(span);
  std::vector<StreamId> streams(span);
  while (const std::size_t count = source.next(times, streams)) {
    all.times.insert(all.times.end(), times.begin(), times.begin() + static_cast<std::ptrdiff_t>(count));
    all.streams.insert(all.streams.end(), streams.begin(),
                       streams.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return all;
}

Requests requests_of(const TraceSpec& spec, double target_rps = 0, std::uint64_t seed = 1) {
  return all_of(*make_arrivals(spec, target_rps, seed));
}

std::vector<double> counts_by_stream(const Requests& requests, std::size_t streams) {
  std::vector<double> counts(streams, 0.0);
  for (const StreamId stream : requests.streams) counts[stream] += 1;
  return counts;
}

/// Returns the counts of one stream in whole windows.
std::vector<double> counts_in(const Requests& requests, StreamId stream, double window_s, double duration_s) {
  std::vector<double> counts(static_cast<std::size_t>(duration_s / window_s), 0.0);
  for (std::size_t i = 0; i < requests.times.size(); ++i) {
    const auto window = static_cast<std::size_t>(ns_to_s(requests.times[i]) / window_s);
    if (requests.streams[i] == stream && window < counts.size()) counts[window] += 1;
  }
  return counts;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double covariance(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - mean_a) * (b[i] - mean_b);
  return sum / static_cast<double>(a.size() - 1);
}

/// Checks the sum of (n - e)^2 / e, which has as many degrees of freedom as there are Poisson counts.
void expect_poisson(double chi_square, double degrees) {
  EXPECT_NEAR(chi_square, degrees, 5 * std::sqrt(2 * degrees));
}

// SHEPHERD section 7.2: A at 5, 125, 245 ms ..., B each ms from 0 on.
TEST(StreamArrivals, TheTwoStreamsComeAtTheTimesOfThePaper) {
  const Requests requests = requests_of(preset("two-streams", 0.25));
  std::vector<TimeNs> slow;
  std::map<TimeNs, int> bursts;
  for (std::size_t i = 0; i < requests.times.size(); ++i) {
    if (requests.streams[i] == 0)
      slow.push_back(requests.times[i]);
    else
      ++bursts[requests.times[i]];
  }
  ASSERT_EQ(slow.size(), 250U);
  for (std::size_t i = 0; i < slow.size(); ++i) EXPECT_EQ(slow[i], static_cast<TimeNs>(i) * kNsPerMs);
  EXPECT_EQ(bursts,
            (std::map<TimeNs, int>{{5 * kNsPerMs, 1024}, {125 * kNsPerMs, 1024}, {245 * kNsPerMs, 1024}}));
  EXPECT_TRUE(std::is_sorted(requests.times.begin(), requests.times.end()));
  EXPECT_EQ(make_arrivals(preset("two-streams", 0.25), 0, 1)->expected_requests(), 250 + 3 * 1024);
}

TEST(StreamArrivals, BurstsEndBeforeTheRunDoes) {
  StreamClass bursts;
  bursts.process = StreamProcess::kBursts;
  bursts.count = 2;
  bursts.burst = 3;
  bursts.period_ms = 100;
  bursts.offset_ms = 100;
  const Requests requests = requests_of(trace_of({bursts}, 0.3));
  const std::vector<StreamId> once = {0, 0, 0, 1, 1, 1};
  EXPECT_EQ(std::vector<StreamId>(requests.streams.begin(), requests.streams.begin() + 6), once);
  EXPECT_EQ(requests.times.size(), 12U) << "at 100 and 200 ms; the run ends at 300";
  EXPECT_EQ(requests.times.back(), 200 * kNsPerMs);
}

// Counts of 1,000 Poisson streams of different rates, each against its own expectation.
TEST(StreamArrivals, PoissonStreamsHavePoissonCountsAtTheirRates) {
  const TraceSpec spec = preset("poisson-streams", 200);
  const StreamPopulation population(spec, 5000);
  const std::vector<double> rps = population.mean_rps();
  const Requests requests = requests_of(spec, 5000);
  const std::vector<double> counts = counts_by_stream(requests, rps.size());
  double chi_square = 0;
  double degrees = 0;
  for (std::size_t i = 0; i < rps.size(); ++i) {
    const double expected = rps[i] * 200;
    if (expected < 5) continue;
    chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
    ++degrees;
  }
  EXPECT_GT(degrees, 990);
  expect_poisson(chi_square, degrees);
}

// Superposed: gaps of the union are exponential at the sum of the rates (Kolmogorov and Smirnov, 0.1 %), and
// windows of two streams are independent and each Poisson.
TEST(StreamArrivals, SuperpositionIsTheUnionOfIndependentStreams) {
  StreamClass fast;
  fast.rps = 70;
  StreamClass slow = fast;
  fast.count = 3;
  slow.rps = 30;
  const Requests requests = requests_of(trace_of({fast, slow}, 5000));
  std::vector<double> gaps;
  for (std::size_t i = 1; i < requests.times.size(); ++i)
    gaps.push_back(ns_to_s(requests.times[i] - requests.times[i - 1]));
  std::sort(gaps.begin(), gaps.end());
  const auto n = static_cast<double>(gaps.size());
  double distance = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double below = 1 - std::exp(-100 * gaps[i]);
    distance = std::max({distance, std::abs(below - static_cast<double>(i) / n),
                         std::abs(below - static_cast<double>(i + 1) / n)});
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(n));
  for (const StreamId stream : {0, 3}) {
    const std::vector<double> counts = counts_in(requests, stream, 1, 5000);
    const double expected = stream == 3 ? 30 : 70 / 3.0;
    EXPECT_NEAR(mean(counts), expected, 4 * std::sqrt(expected / 5000));
    expect_poisson(covariance(counts, counts) / expected * 4999, 4999);
    const std::vector<double> other = counts_in(requests, 1, 1, 5000);
    EXPECT_NEAR(covariance(counts, other), 0, 4 * std::sqrt(expected * 70 / 3.0 / 5000));
  }
}

/// Returns the variance of the count in a window of a stationary MMPP of two states: a Poisson process's
/// variance, and twice the integral of the rate's covariance, which decays at the sum of the rates of change.
double mmpp_variance(double rps, const StreamClass& spec, double window_s) {
  const double share = spec.mmpp_high_share;
  const double low = rps / (1 + share * (spec.mmpp_ratio - 1));
  const double spread = low * (spec.mmpp_ratio - 1);
  const double decay = 1 / spec.mmpp_high_s + share / ((1 - share) * spec.mmpp_high_s);
  const double rate_variance = share * (1 - share) * spread * spread;
  const double x = decay * window_s;
  return rps * window_s + 2 * rate_variance / (decay * decay) * (x - 1 + std::exp(-x));
}

TEST(StreamArrivals, MmppCountsHaveTheVarianceOfTheClosedForm) {
  StreamClass spec;
  spec.process = StreamProcess::kMmpp;
  spec.count = 2;
  spec.rps = 20;
  spec.mmpp_ratio = 8;
  constexpr double kDuration = 100'000;
  const Requests requests = requests_of(trace_of({spec}, kDuration));
  EXPECT_NEAR(static_cast<double>(requests.times.size()) / kDuration, 20,
              4 * std::sqrt(2 * mmpp_variance(10, spec, kDuration)) / kDuration);
  for (const double window_s : {0.1, 1.0, 4.0, 20.0}) {
    const std::vector<double> a = counts_in(requests, 0, window_s, kDuration);
    const std::vector<double> b = counts_in(requests, 1, window_s, kDuration);
    const double variance = mmpp_variance(10, spec, window_s);
    EXPECT_NEAR(covariance(a, a), variance, 0.06 * variance) << window_s;
    EXPECT_NEAR(covariance(b, b), variance, 0.06 * variance) << window_s;
    EXPECT_NEAR(covariance(a, b), 0, 0.06 * variance) << window_s;
    EXPECT_GT(variance, 1.2 * 10 * window_s) << "far from Poisson";
  }
}

// Two streams of one chain: their sum is one MMPP of twice the rate.
TEST(StreamArrivals, StreamsOfOneChainChangeTogether) {
  StreamClass spec;
  spec.process = StreamProcess::kMmpp;
  spec.count = 4;
  spec.rps = 20;
  spec.mmpp_chains = 2;
  constexpr double kDuration = 50'000;
  const Requests requests = requests_of(trace_of({spec}, kDuration));
  std::vector<std::vector<double>> counts;
  for (StreamId stream = 0; stream < 4; ++stream) counts.push_back(counts_in(requests, stream, 4, kDuration));
  const double of_rates = mmpp_variance(5, spec, 4) - 5 * 4;
  EXPECT_NEAR(covariance(counts[0], counts[2]), of_rates, 0.08 * of_rates);
  EXPECT_NEAR(covariance(counts[1], counts[3]), of_rates, 0.08 * of_rates);
  EXPECT_NEAR(covariance(counts[0], counts[1]), 0, 0.08 * of_rates);
}

TEST(StreamArrivals, EvenStreamsKeepTheirDistance) {
  StreamClass spec;
  spec.process = StreamProcess::kUniform;
  spec.count = 50;
  spec.rps = 500;
  spec.rates = StreamRates::kExponential;
  const TraceSpec trace = trace_of({spec}, 30);
  const std::vector<double> rps = StreamPopulation(trace, 0).mean_rps();
  const Requests requests = requests_of(trace);
  std::vector<TimeNs> last(50, -1);
  for (std::size_t i = 0; i < requests.times.size(); ++i) {
    TimeNs& before = last[requests.streams[i]];
    const double gap_ns = 1e9 / rps[requests.streams[i]];
    if (before >= 0)
      EXPECT_NEAR(static_cast<double>(requests.times[i] - before), gap_ns, 1.01);
    else
      EXPECT_LT(static_cast<double>(requests.times[i]), gap_ns);
    before = requests.times[i];
  }
  for (StreamId stream = 0; stream < 50; ++stream)
    EXPECT_LT(std::abs(counts_by_stream(requests, 50)[stream] - 30 * rps[stream]), 1);
}

// The minutes of evenly spaced streams show their rates to within one request.
TEST(StreamArrivals, FollowTheRatesOfEveryMinute) {
  StreamClass spec;
  spec.process = StreamProcess::kUniform;
  spec.count = 40;
  spec.rps = 2000;
  spec.minutes = StreamMinutes::kGamma;
  spec.minute_s = 5;
  const TraceSpec trace = trace_of({spec}, 18);  // the last minute is cut
  const Requests requests = requests_of(trace);
  const StreamPopulation population(trace, 0);
  std::vector<double> integral(40, 0.0);
  for (int minute = 0; minute < 4; ++minute) {
    std::vector<double> rps;
    population.classes()[0].rates_in(minute, rps);
    const double end_s = std::min(18.0, 5.0 * (minute + 1));
    for (StreamId stream = 0; stream < 40; ++stream) {
      integral[stream] += rps[stream] * (end_s - 5.0 * minute);
      double count = 0;
      for (std::size_t i = 0; i < requests.times.size(); ++i)
        count += requests.streams[i] == stream && requests.times[i] < s_to_ns(end_s) ? 1 : 0;
      EXPECT_LE(std::abs(count - integral[stream]), 1 + 1e-6) << stream << " in minute " << minute;
    }
  }
}

// Poisson and MMPP streams by minute: counts against the rates of each minute.
TEST(StreamArrivals, PoissonStreamsHavePoissonCountsInEveryMinute) {
  StreamClass spec;
  spec.count = 300;
  spec.rps = 6000;
  spec.minutes = StreamMinutes::kGamma;
  spec.minute_s = 6;
  const TraceSpec trace = trace_of({spec}, 60);
  const StreamPopulation population(trace, 0);
  const Requests requests = requests_of(trace);
  std::vector<double> counts(3000, 0.0);
  for (std::size_t i = 0; i < requests.times.size(); ++i)
    counts[static_cast<std::size_t>(requests.times[i] / s_to_ns(6)) * 300 + requests.streams[i]] += 1;
  double chi_square = 0;
  double degrees = 0;
  for (std::size_t minute = 0; minute < 10; ++minute) {
    std::vector<double> rps;
    population.classes()[0].rates_in(static_cast<std::int64_t>(minute), rps);
    for (std::size_t i = 0; i < 300; ++i) {
      const double expected = rps[i] * 6;
      if (expected < 5) continue;
      const double off = counts[minute * 300 + i] - expected;
      chi_square += off * off / expected;
      ++degrees;
    }
  }
  EXPECT_GT(degrees, 1000);
  expect_poisson(chi_square, degrees);
}

TEST(StreamArrivals, DoNotDependOnTheSpansAndBeginAnew) {
  StreamClass even = stream_preset("poisson-streams")[0];
  even.process = StreamProcess::kUniform;
  TraceSpec mixed = preset("maf-bursty", 3);
  mixed.streams[0].minute_s = 0.7;
  mixed.streams.push_back(even);
  mixed.streams.push_back(stream_preset("poisson-streams")[0]);
  const auto source = make_arrivals(mixed, 4000, 7);
  const Requests expected = all_of(*source);
  EXPECT_GT(expected.times.size(), 10'000U);
  EXPECT_TRUE(std::is_sorted(expected.times.begin(), expected.times.end()));
  for (const std::size_t span : {1U, 7U, 100'000U}) {
    const Requests again = all_of(*source->restarted(), span);
    EXPECT_EQ(again.times, expected.times) << span;
    EXPECT_EQ(again.streams, expected.streams) << span;
  }
  const auto without_streams = source->restarted();
  std::vector<TimeNs> times(expected.times.size() + 1);
  EXPECT_EQ(without_streams->next(times), expected.times.size());
  times.pop_back();
  EXPECT_EQ(times, expected.times);
  EXPECT_NE(requests_of(mixed, 4000, 8).times, expected.times);
}

}  // namespace
}  // namespace harness
