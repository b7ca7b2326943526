#include "workloads/streams/stream_cv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "harness/core/input_error.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/stream_arrivals.h"
#include "workloads/streams/test_streams.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

// A Poisson stream with n expected requests in a window has a CV of 1 / sqrt(n), a group of g equal ones
// 1 / sqrt(g n).
TEST(StreamCvs, OfPoissonStreamsAreTheClosedForm) {
  StreamClass one;
  one.count = 200;
  one.rps = 400;
  const auto arrivals = make_arrivals(trace_of({one}, 4000), 0, 1);
  const std::vector<StreamCv> cvs = stream_cvs(*arrivals, 200, {1, 5, 20}, {1, 10, 60}, 1);
  ASSERT_EQ(cvs.size(), 9U);
  std::size_t k = 0;
  for (const double window_s : {1.0, 5.0, 20.0}) {
    for (const std::size_t size : {1U, 10U, 60U}) {
      const double expected = 1 / std::sqrt(static_cast<double>(size) * 2 * window_s);
      EXPECT_EQ(cvs[k].window_s, window_s);
      EXPECT_EQ(cvs[k].group, size);
      EXPECT_EQ(cvs[k].groups, 200 / size);
      EXPECT_EQ(cvs[k].windows, static_cast<std::uint64_t>(4000 / window_s));
      // Over N windows a CV scatters by about 1 / sqrt(2 N) of itself, independently from group to group.
      const double scatter = 1 / std::sqrt(2 * 4000 / window_s * static_cast<double>(cvs[k].groups));
      EXPECT_NEAR(cvs[k].mean_cv, expected, (5 * scatter + 0.004) * expected) << window_s << " s, " << size;
      ++k;
    }
  }
}

// By hand: bursts of 3 every 2 s from 0 on, in windows of 1 s: 3, 0, 3, 0 ...: mean 1.5, deviation 1.5. In
// windows of 2 s none; of 3 s over 10 s: 6, 3, 6: mean 5, deviation sqrt(2).
TEST(StreamCvs, OfBurstsByHand) {
  StreamClass one;
  one.process = StreamProcess::kBursts;
  one.burst = 3;
  one.period_ms = 2000;
  one.count = 2;
  const auto arrivals = make_arrivals(trace_of({one}, 10), 0, 1);
  const std::vector<StreamCv> cvs = stream_cvs(*arrivals, 2, {1, 2, 3}, {1, 2}, 1);
  const std::vector<double> expected = {1, 1, 0, 0, std::sqrt(2.0) / 5, std::sqrt(2.0) / 5};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(cvs[k].mean_cv, expected[k], 1e-12) << k;
  EXPECT_EQ(cvs[4].windows, 3U);
}

TEST(StreamCvs, LeavesOutStreamsWithoutRequests) {
  StreamClass one;
  one.process = StreamProcess::kBursts;
  one.period_ms = 4000;
  StreamClass never = one;
  never.offset_ms = 1e6;
  TraceSpec spec = trace_of({one}, 8);
  spec.streams.push_back(never);
  const auto population = std::make_shared<const StreamPopulation>(spec, 0);
  const std::vector<StreamCv> cvs = stream_cvs(*make_stream_arrivals(population, 1), 2, {1}, {1}, 1);
  EXPECT_EQ(cvs[0].groups, 1U);
  EXPECT_NEAR(cvs[0].mean_cv, std::sqrt(3.0), 1e-12) << "2 of 8 windows";
}

TEST(StreamCvs, RefuseWhatHasNoCv) {
  const auto arrivals = make_arrivals(trace_of({StreamClass()}, 10), 0, 1);
  EXPECT_THROW(stream_cvs(*arrivals, 1, {5.1}, {1}, 1), InputError);
  EXPECT_NO_THROW(stream_cvs(*arrivals, 1, {5}, {1}, 1));
  EXPECT_THROW(stream_cvs(*arrivals, 1, {1}, {2}, 1), InputError);
}

}  // namespace
}  // namespace harness
