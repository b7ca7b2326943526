#include "workloads/arrivals/fitted_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "workloads/arrivals/rate_curve.h"
#include "workloads/streams/trace_arrivals.h"
#include "workloads/trace_files/counts.h"
#include "workloads/trace_files/imported_trace.h"
#include "workloads/trace_files/trace_data.h"
#include "workloads/trace_files/trace_facts.h"

namespace harness {
namespace {

/// The real file a shape was fitted to, and the window that is compared.
struct RealTrace {
  const char* shape;
  const char* file;
  double bin_s;
};

std::string real_path(const char* file) {
  const char* data = std::getenv("HARNESS_DATA");
  return std::string(data != nullptr ? data : "../shared/data") + "/traces/" + file;
}

class FittedShape : public testing::TestWithParam<RealTrace> {
 protected:
  void SetUp() override {
    const std::string path = real_path(GetParam().file);
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no real trace at " << path << " (set HARNESS_DATA)";
    spec_.shape = "file";
    spec_.file = path;
    spec_.bin_s = GetParam().bin_s;
    spec_.format = std::string(GetParam().shape) == "azure" ? "azure_functions" : "counts";
    real_ = imported_trace(spec_, TraceParts::kLoad);
  }

  /// The shape sent at the real file's mean rate, uncompressed, counted in the real file's bins: it then has
  /// the same counting noise. (The hourly counts of wiki are so large that 40 million requests have no
  /// noticeable noise.)
  std::vector<double> generated(std::uint64_t seed) const {
    const double length_s = real_.bin_s * static_cast<double>(real_.counts.size());
    TraceSpec spec;
    spec.shape = GetParam().shape;
    spec.duration_s = length_s;
    spec.compress = 1;
    spec.interpolate = Interpolate::kOff;
    constexpr double kMaxRequests = 4e7;
    const double mean = facts_of(real_.counts, real_.bin_s).mean_rps;
    return counts_of(*make_arrivals(spec, std::min(mean, kMaxRequests / length_s), seed), real_.bin_s);
  }

  TraceSpec spec_;
  TraceData real_;
};

void expect_alike(const TraceFacts& generated, const TraceFacts& real) {
  constexpr double kShare = 0.15;
  EXPECT_NEAR(generated.cv_minute, real.cv_minute, kShare * real.cv_minute);
  EXPECT_NEAR(generated.cv_short, real.cv_short, kShare * real.cv_short);
  EXPECT_NEAR(generated.peak_over_mean, real.peak_over_mean, kShare * real.peak_over_mean);
}

TEST_P(FittedShape, HasTheRealFilesVariation) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    expect_alike(facts_of(generated(seed), real_.bin_s), facts_of(real_.counts, real_.bin_s));
  }
}

/// Smoothing takes most of the counting noise away: what is left is the course of the rate itself.
TEST_P(FittedShape, HasTheRealFilesVariationAfterSmoothing) {
  const double window_s = std::max(60.0, 3 * real_.bin_s);
  const RateCurve real = smoothed({real_.bin_s, real_.counts}, window_s);
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    const RateCurve shape = smoothed({real_.bin_s, generated(seed)}, window_s);
    expect_alike(facts_of(shape.rps, shape.bin_s), facts_of(real.rps, real.bin_s));
  }
}

/// Pearson's coefficient; the curves need not have the same mean.
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto size = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / size;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / size;
  double squares_a = 0, squares_b = 0, products = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares_a += (a[i] - mean_a) * (a[i] - mean_a);
    squares_b += (b[i] - mean_b) * (b[i] - mean_b);
    products += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return products / std::sqrt(squares_a * squares_b);
}

TEST(Correlation, IsOneForALineMinusOneForItsFallAndHalfInBetween) {
  EXPECT_DOUBLE_EQ(correlation({1, 2, 3}, {10, 12, 14}), 1);
  EXPECT_DOUBLE_EQ(correlation({1, 2, 3}, {6, 4, 2}), -1);
  EXPECT_DOUBLE_EQ(correlation({1, 2, 3}, {1, 3, 2}), 0.5);
}

/// The mean over the weeks of each bin of the week; what is shorter than a week stays as it is.
std::vector<double> mean_week(const std::vector<double>& values, double bin_s) {
  constexpr double kWeekS = 7 * 86400;
  const std::size_t period = std::min(values.size(), static_cast<std::size_t>(kWeekS / bin_s));
  std::vector<double> sums(period, 0), counts(period, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[i % period] += values[i];
    ++counts[i % period];
  }
  for (std::size_t i = 0; i < period; ++i) sums[i] /= counts[i];
  return sums;
}

TEST(MeanWeek, AveragesTheSameBins) {
  EXPECT_EQ(mean_week({1, 2, 3, 5}, 7 * 86400 / 2.0), (std::vector<double>{2, 3.5}));
  EXPECT_EQ(mean_week({1, 2, 3, 5}, 60), (std::vector<double>{1, 2, 3, 5}));
}

/// Rises and falls when the real file does. Weeks are averaged since the shapes know no particular week: over
/// the 43 of wiki, hour by hour, no curve that repeats itself each week reaches 0.95.
TEST_P(FittedShape, FollowsTheRealFilesHours) {
  const double window_s = std::max(600.0, 3 * real_.bin_s);
  const std::vector<double> real =
      mean_week(smoothed({real_.bin_s, real_.counts}, window_s).rps, real_.bin_s);
  for (const std::uint64_t seed : {1, 2, 3}) {
    std::vector<double> counts = generated(seed);
    counts.resize(real_.counts.size());
    const std::vector<double> shape = mean_week(smoothed({real_.bin_s, counts}, window_s).rps, real_.bin_s);
    EXPECT_GT(correlation(shape, real), 0.95) << seed;
  }
}

/// The shapes are replayed as an experiment does it: the default compression, 300 s, scaled to 1,000
/// requests/s, without counting noise.
TEST_P(FittedShape, VariesLikeTheRealFileWhenReplayed) {
  TraceSpec spec;
  spec.shape = GetParam().shape;
  spec.duration_s = 300;
  spec.process = ArrivalProcess::kUniform;
  TraceSpec real_spec = spec_;
  real_spec.duration_s = spec.duration_s;
  real_spec.process = spec.process;
  real_spec.compress = compression_of(spec);
  const TraceFacts real = facts_of(counts_of(*make_arrivals(real_spec, 1000, 1), 1), 1);
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    const TraceFacts shape = facts_of(counts_of(*make_arrivals(spec, 1000, seed), 1), 1);
    EXPECT_NEAR(shape.cv_second, real.cv_second, 0.15 * real.cv_second);
    EXPECT_NEAR(shape.peak_over_mean, real.peak_over_mean, 0.15 * real.peak_over_mean);
  }
}

/// Figures counted over the same files (which workloads/traces/SOURCES.toml names), so that the shapes are
/// held to them where the files are not: wiki CV 0.576 per hour, largest hour 3,031,003 of a mean of
/// 1,108,715; tweet CV 0.176 per minute; azure CV 0.57 per minute.
TEST(FittedCurve, HasTheVariationCountedOverTheFiles) {
  constexpr double kShare = 0.15;
  const RateCurve wiki = fitted_curve("wiki", 0, 43 * 7 * 86400.0, 4);
  const TraceFacts wiki_facts = facts_of(wiki.rps, wiki.bin_s);
  EXPECT_NEAR(wiki_facts.cv_minute, 0.576, kShare * 0.576);
  EXPECT_NEAR(wiki_facts.peak_over_mean, 3031003.0 / 1108715.0, kShare * 2.734);
  const RateCurve tweet = fitted_curve("tweet", 0, 88600, 4);
  EXPECT_NEAR(facts_of(tweet.rps, 1).cv_minute, 0.176, kShare * 0.176);
  EXPECT_NEAR(facts_of(tweet.rps, 1).mean_rps, 41.0, 0.05 * 41);
  const RateCurve azure = fitted_curve("azure", 0, 7 * 86400.0, 4);
  EXPECT_NEAR(facts_of(azure.rps, 60).cv_minute, 0.57, kShare * 0.57);
}

TEST(FittedCurve, IsTheSameInAnyWindow) {
  for (const char* shape : {"wiki", "tweet", "azure"}) {
    const RateCurve whole = fitted_curve(shape, 0, 10 * 86400.0, 6);
    const double from_s = 2 * 86400.0;
    const RateCurve part = fitted_curve(shape, from_s, 86400, 6);
    const auto first = static_cast<std::size_t>(from_s / whole.bin_s);
    for (std::size_t i = 0; i < part.rps.size(); ++i) {
      // Noise remembers 64 bins; what it forgot weighs 0.88^64 = 0.0003.
      ASSERT_NEAR(part.rps[i] / whole.rps[first + i], 1, 0.001) << shape << " " << i;
    }
  }
}

TEST(FittedCurve, DependsOnTheSeed) {
  for (const char* shape : {"wiki", "tweet", "azure"}) {
    EXPECT_EQ(fitted_curve(shape, 0, 86400, 6), fitted_curve(shape, 0, 86400, 6));
    EXPECT_NE(fitted_curve(shape, 0, 86400, 6), fitted_curve(shape, 0, 86400, 7));
  }
}

INSTANTIATE_TEST_SUITE_P(RealFiles, FittedShape,
                         testing::Values(RealTrace{"wiki", "wikipedia_de_hourly_43weeks.txt", 3600},
                                         RealTrace{"tweet", "twit-b1000-n88600.csv.gz", 1},
                                         RealTrace{"azure", "azure2019_10functions_days1-7.csv.gz", 60}),
                         [](const auto& each) { return std::string(each.param.shape); });

}  // namespace
}  // namespace harness
