// Rates and CVs that move: the shape transition, and scv.
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/core/input_error.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/trace_arrivals.h"
#include "workloads/trace_files/counts.h"

namespace harness {
namespace {

std::vector<TimeNs> sent_times(const ArrivalSource& source) {
  const auto copy = source.restarted();
  std::vector<TimeNs> times, part(100);
  while (const std::size_t count = copy->next(part))
    times.insert(times.end(), part.begin(), part.begin() + count);
  return times;
}

// InferLine, Fig. 10: from 150 to 250 requests/s. Counts of 10 s are the integral of the rate.
TEST(TransitionShape, MovesTheRateInAStraightLine) {
  TraceSpec spec;
  spec.shape = "transition";
  spec.duration_s = 100;
  spec.scale_to = ScaleTo::kStart;
  spec.scv = 1e-4;  // almost even
  spec.transition_ratio = 250.0 / 150;
  spec.transition_from_s = 20;
  spec.transition_s = 40;
  const std::vector<double> counts = counts_of(sent_times(*make_arrivals(spec, 150, 1)), 10);
  const std::vector<double> expected = {1500, 1500, 1625, 1875, 2125, 2375, 2500, 2500, 2500, 2500};
  ASSERT_EQ(counts.size(), expected.size());
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_NEAR(counts[i], expected[i], 3) << i;
  spec.scale_to = ScaleTo::kPeak;
  EXPECT_NEAR(make_arrivals(spec, 250, 1)->expected_requests(), 21'000, 1);
  spec.scale_to = ScaleTo::kMean;
  EXPECT_NEAR(make_arrivals(spec, 210, 1)->expected_requests(), 21'000, 1e-6);
  spec.scale_to = ScaleTo::kStart;
  spec.transition_s = 0;
  EXPECT_NEAR(make_arrivals(spec, 150, 1)->expected_requests(), 150 * 20 + 250 * 80, 1e-6) << "at once";
  spec.transition_from_s = 60;
  spec.transition_s = 80;
  EXPECT_NEAR(make_arrivals(spec, 150, 1)->expected_requests(), 150 * 60 + 175 * 40, 1) << "cut by the end";
}

TEST(TransitionShape, MovesTheSquaredCv) {
  TraceSpec spec;
  spec.shape = "transition";
  spec.duration_s = 900;
  spec.scv = 1;
  spec.transition_ratio = 1;
  spec.transition_scv = 4;
  spec.transition_from_s = 400;
  spec.transition_s = 100;
  const std::vector<TimeNs> times = sent_times(*make_arrivals(spec, 500, 2));
  const auto scv_between = [&times](double from_s, double until_s) {
    double sum = 0, squares = 0, count = 0;
    for (std::size_t i = 1; i < times.size(); ++i) {
      const double gap = ns_to_s(times[i] - times[i - 1]);
      if (times[i - 1] < s_to_ns(from_s) || times[i] >= s_to_ns(until_s)) continue;
      sum += gap;
      squares += gap * gap;
      ++count;
    }
    return squares * count / (sum * sum) - 1;
  };
  EXPECT_NEAR(scv_between(0, 400), 1, 0.03);
  EXPECT_NEAR(scv_between(500, 900), 4, 0.2);
  TraceSpec still = spec;
  still.transition_scv = 0;
  TraceSpec gamma;
  gamma.shape = "gamma";
  gamma.duration_s = 900;
  gamma.scv = 1;
  const std::vector<TimeNs> as_before = sent_times(*make_arrivals(still, 500, 2));
  const std::vector<TimeNs> of_gamma = sent_times(*make_arrivals(gamma, 500, 2));
  ASSERT_EQ(as_before.size(), of_gamma.size()) << "without a change it is the gamma process";
  for (std::size_t i = 0; i < as_before.size(); ++i)
    ASSERT_LE(std::abs(as_before[i] - of_gamma[i]), 100) << "rounded at the ends of bins";
}

// InferLine's CV is squared: scv = 4 is cv = 2.
TEST(GammaShape, TakesTheSquaredCvInPlaceOfTheCv) {
  TraceSpec by_cv;
  by_cv.shape = "gamma";
  by_cv.cv = 2;
  TraceSpec by_scv = by_cv;
  by_scv.cv = 0.5;
  by_scv.scv = 4;
  EXPECT_EQ(sent_times(*make_arrivals(by_scv, 300, 1)), sent_times(*make_arrivals(by_cv, 300, 1)));
}

TEST(GammaShape, RefusesTwoCvsAndTransitionsThatNeverBegin) {
  TraceSpec both;
  both.shape = "gamma";
  both.scv = 4;
  both.places["cv"] = {"e.toml", 7, "trace.t.cv"};
  both.places["scv"] = {"e.toml", 8, "trace.t.scv"};
  TraceSpec tiny;
  tiny.shape = "gamma";
  tiny.scv = 1e-5;
  TraceSpec late;
  late.shape = "transition";
  late.transition_from_s = 60;
  for (const auto& [spec, line] :
       {std::pair{both,
                  "e.toml:8: trace.t.scv: found scv beside cv; allowed: one of them: scv is the square "
                  "of cv"},
        {tiny, "scv: found 1e-05; allowed: 0, or 1e-04 to 10000"},
        {late, "transition_from_s: found 60; allowed: less than the 60 s of duration_s"}}) {
    try {
      make_arrivals(spec, 100, 1);
      ADD_FAILURE() << "accepted: " << line;
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), line);
    }
  }
}

}  // namespace
}  // namespace harness
