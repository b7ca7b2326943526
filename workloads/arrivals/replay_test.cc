#include "workloads/arrivals/replay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/input_error.h"
#include "harness/core/random_stream.h"

namespace harness {
namespace {

TraceSpec file_spec() {
  TraceSpec spec;
  spec.shape = "file";
  spec.file = "x";
  spec.duration_s = 0;
  spec.smooth_s = 0;
  return spec;
}

// Mean 4 over the 4 s replayed; the last bin is not.
TEST(Contrast, StretchesAboutTheMeanOfWhatIsReplayedBeforeItIsScaled) {
  TraceSpec spec = file_spec();
  spec.duration_s = 4;
  const RateCurve source{1, {2, 4, 3, 7, 1000}};
  struct Stretched {
    double contrast;
    std::vector<double> as_is;  ///< rates of the four seconds
    double peak_over_mean;
  };
  const Stretched cases[] = {{1, {2, 4, 3, 7}, 7.0 / 4},
                             {1.5, {1, 4, 2.5, 8.5}, 8.5 / 4},
                             {0.5, {3, 4, 3.5, 5.5}, 5.5 / 4},
                             {0, {4, 4, 4, 4}, 1},
                             // -2 becomes 0: the mean is 4.5 before it is scaled.
                             {3, {0, 4, 1, 13}, 13 / 4.5}};
  for (const Stretched& each : cases) {
    SCOPED_TRACE(each.contrast);
    spec.contrast = each.contrast;
    const Replay stretched = replay_of(spec, source, false, 0);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(stretched.curve.rps[i], each.as_is[i]) << i;
    const Replay scaled = replay_of(spec, source, false, 100);
    EXPECT_DOUBLE_EQ(mean_rps(scaled.curve, 4), 100);
    EXPECT_DOUBLE_EQ(peak_rps(scaled.curve, 4), 100 * each.peak_over_mean);
    spec.scale_to = ScaleTo::kPeak;
    EXPECT_DOUBLE_EQ(peak_rps(replay_of(spec, source, false, 100).curve, 4), 100);
    spec.scale_to = ScaleTo::kMean;
  }
}

TEST(Sliced, TakesWholeBins) {
  TraceSpec spec = file_spec();
  spec.from_s = 15;
  spec.to_s = 31;
  EXPECT_EQ(sliced(spec, {10, {1, 2, 3, 4, 5}}).rps, (std::vector<double>{2, 3, 4}));
  spec.to_s = 0;
  EXPECT_EQ(sliced(spec, {10, {1, 2, 3}}).rps, (std::vector<double>{2, 3}));
  spec.from_s = 30;
  EXPECT_THROW(sliced(spec, {10, {1, 2, 3}}), InputError);
}

/// 0.3 / 0.1 is just below 3 and 1.1 / 0.1 just above 11 in doubles.
TEST(Sliced, TakesBoundsThatAreWholeBinsAsWritten) {
  RateCurve curve{0.1, {}};
  for (int bin = 0; bin < 20; ++bin) curve.rps.push_back(bin);
  TraceSpec spec = file_spec();
  for (int first = 0; first < 20; ++first) {
    for (int last = first + 1; last <= 20; ++last) {
      spec.from_s = first / 10.0;
      spec.to_s = last / 10.0;
      const std::vector<double> rates = sliced(spec, curve).rps;
      ASSERT_EQ(rates.size(), static_cast<std::size_t>(last - first)) << first << " " << last;
      EXPECT_EQ(rates.front(), first);
    }
  }
  spec.from_s = 0.3;
  spec.to_s = std::nextafter(0.3, 1);
  EXPECT_EQ(sliced(spec, curve).rps, (std::vector<double>{3}));
}

TEST(ReplayOf, CompressionKeepsTheRequests) {
  TraceSpec spec = file_spec();
  spec.compress = 60;
  const Replay replay = replay_of(spec, {60, {1, 2, 3}}, true, 0);
  EXPECT_DOUBLE_EQ(replay.duration_s, 3);
  EXPECT_DOUBLE_EQ(mean_rps(replay.curve, 3) * 3, 360);
}

TEST(ReplayOf, ClipsBeforeItScales) {
  TraceSpec spec = file_spec();
  spec.clip_rps = 4;
  const Replay replay = replay_of(spec, {1, {2, 8}}, true, 30);
  EXPECT_DOUBLE_EQ(replay.curve.rps[0], 20);
  EXPECT_DOUBLE_EQ(replay.curve.rps[1], 40);
}

TEST(ReplayOf, ScalesThePeakOrTheMeanOfTheReplayedWindowOnly) {
  TraceSpec spec = file_spec();
  spec.duration_s = 2;
  EXPECT_DOUBLE_EQ(mean_rps(replay_of(spec, {1, {1, 3, 96}}, true, 50).curve, 2), 50);
  spec.scale_to = ScaleTo::kPeak;
  EXPECT_DOUBLE_EQ(peak_rps(replay_of(spec, {1, {1, 3, 96}}, true, 50).curve, 2), 50);
}

TEST(ReplayOf, ScalesTheRateOfTheFirstBin) {
  TraceSpec spec = file_spec();
  spec.scale_to = ScaleTo::kStart;
  EXPECT_EQ(replay_of(spec, {1, {2, 8}}, true, 50).curve.rps, (std::vector<double>{50, 200}));
  try {
    replay_of(spec, {1, {0, 8}}, true, 50);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "scale_to: found start, where the first bin has no requests; allowed: mean or peak");
  }
}

TEST(ReplayOf, RepeatsOrEndsEarly) {
  TraceSpec spec = file_spec();
  spec.duration_s = 5;
  EXPECT_DOUBLE_EQ(replay_of(spec, {1, {1, 2}}, true, 0).duration_s, 2);
  spec.repeat = true;
  const Replay replay = replay_of(spec, {1, {1, 2}}, true, 0);
  EXPECT_DOUBLE_EQ(replay.duration_s, 5);
  EXPECT_EQ(replay.curve.rps, (std::vector<double>{1, 2, 1, 2, 1}));
}

/// A Poisson process of 40/s is scaled 30 times: its counts vary by 1/sqrt(40), and a true process of 1,200/s
/// by 1/sqrt(1200). Smoothing over 30 s must leave no more than 1/sqrt(40 x 30); raw scaling keeps the
/// invented bursts.
TEST(ReplayOf, SmoothingDoesNotInventBursts) {
  RandomStream random(5, "counts");
  RateCurve counts{1, std::vector<double>(3600, 0)};
  for (double t = random.exponential() / 40; t < 3600; t += random.exponential() / 40) {
    ++counts.rps[static_cast<std::size_t>(t)];
  }
  const auto variation = [](const RateCurve& curve) {
    const double mean = mean_rps(curve, curve.length_s());
    double squares = 0;
    for (const double rate : curve.rps) squares += (rate - mean) * (rate - mean);
    return std::sqrt(squares / static_cast<double>(curve.rps.size())) / mean;
  };
  TraceSpec spec = file_spec();
  spec.smooth_s = 30;
  EXPECT_NEAR(variation(replay_of(spec, counts, true, 1200).curve), 1 / std::sqrt(40.0 * 31), 0.008);
  EXPECT_NEAR(variation(replay_of(spec, counts, false, 1200).curve), 1 / std::sqrt(40.0), 0.01);
}

TEST(ReplayOf, AWindowWithoutRequestsHasNoneAtAnyRate) {
  const Replay replay = replay_of(file_spec(), {1, {0, 0}}, true, 10);
  EXPECT_EQ(replay.curve.rps, (std::vector<double>{0, 0}));
  EXPECT_EQ(replay.duration_s, 2);
}

TEST(ReplayOf, DrawsLinesThroughHourlyCountsOnly) {
  TraceSpec spec = file_spec();
  spec.compress = 1440;
  EXPECT_EQ(replay_of(spec, {3600, {1, 2}}, true, 0).curve.rps.size(), 50U);  // 2.5 s in parts of 0.1 s
  EXPECT_EQ(replay_of(spec, {60, {1, 2}}, true, 0).curve.rps.size(), 2U);
  spec.interpolate = Interpolate::kOff;
  EXPECT_EQ(replay_of(spec, {3600, {1, 2}}, true, 0).curve.rps.size(), 2U);
}

}  // namespace
}  // namespace harness
