#include "workloads/arrivals/autoscale_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/core/input_error.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/trace_arrivals.h"
#include "workloads/trace_files/counts.h"

namespace harness {
namespace {

/// Returns the 60 rates as shares of the peak.
std::vector<double> hour_of(const std::string& shape) {
  std::vector<double> shares = autoscale_curve(shape, 0, 3600).rps;
  for (double& share : shares) share /= 800;
  return shares;
}

/// Returns how often the rate passes from at most `low` to at least `high`.
int rises(const std::vector<double>& shares, double low, double high) {
  int count = 0;
  bool is_low = false;
  for (const double share : shares) {
    if (share >= high && is_low) ++count;
    is_low = share <= low || (is_low && share < high);
  }
  return count;
}

double largest_step(const std::vector<double>& shares) {
  double step = 0;
  for (std::size_t i = 1; i < shares.size(); ++i) step = std::max(step, std::abs(shares[i] - shares[i - 1]));
  return step;
}

std::pair<double, double> range_of(const std::vector<double>& shares, std::size_t from, std::size_t until) {
  const auto [low, high] = std::minmax_element(shares.begin() + static_cast<std::ptrdiff_t>(from),
                                               shares.begin() + static_cast<std::ptrdiff_t>(until));
  return {*low, *high};
}

// AutoScale: mean servers of 60 requests/s each with the clairvoyant policy, at a peak of 800 requests/s.
TEST(AutoscaleCurves, HaveTheMeansOfItsTables) {
  const std::map<std::string, double> servers = {{"autoscale-slow", 4.0},  {"autoscale-quick", 8.2},
                                                 {"autoscale-spike", 4.5}, {"autoscale-dual", 5.9},
                                                 {"autoscale-large", 7.1}, {"autoscale-steep", 5.1}};
  ASSERT_EQ(servers.size(), autoscale_shape_names().size());
  for (const std::string& shape : autoscale_shape_names()) {
    const RateCurve hour = autoscale_curve(shape, 0, 3600);
    ASSERT_EQ(hour.rps.size(), 60U);
    EXPECT_EQ(*std::max_element(hour.rps.begin(), hour.rps.end()), 800) << shape;
    const double expected = (servers.at(shape) - 0.5) * 60 / 800;
    EXPECT_NEAR(mean_rps(hour, 3600) / 800 / expected, 1, 0.02) << shape;
  }
}

TEST(AutoscaleCurves, LookAsTheirNamesSay) {
  const std::vector<double> slow = hour_of("autoscale-slow");
  EXPECT_LE(largest_step(slow), 1.0 / 6);
  EXPECT_EQ(rises(slow, 0.3, 0.9), 1);
  const std::vector<double> quick = hour_of("autoscale-quick");
  EXPECT_GE(rises(quick, 0.4, 0.7), 10);
  const std::vector<double> spike = hour_of("autoscale-spike");
  EXPECT_EQ(rises(spike, 0.4, 0.6), 1);
  EXPECT_EQ(std::count_if(spike.begin(), spike.end(), [](double share) { return share > 0.4; }), 4);
  EXPECT_LT(range_of(spike, 0, 15).second, 0.35) << "not in the quarter that is planned with";
  const std::vector<double> large = hour_of("autoscale-large");
  EXPECT_EQ(rises(large, 0.15, 0.85), 4);
  for (const auto& shares : {spike, hour_of("autoscale-dual"), hour_of("autoscale-steep")})
    EXPECT_GE(largest_step(shares), 0.3);
}

TEST(AutoscaleCurves, HaveTheirPhases) {
  const std::vector<double> dual = hour_of("autoscale-dual");
  EXPECT_GE(range_of(dual, 0, 34).first, 0.4);
  EXPECT_LE(range_of(dual, 37, 60).second, 0.2);
  EXPECT_EQ(std::count_if(dual.begin(), dual.end(), [](double share) { return share > 0.75; }), 1);
  const std::vector<double> steep = hour_of("autoscale-steep");
  EXPECT_LE(range_of(steep, 0, 21).second, 0.25);
  EXPECT_GE(range_of(steep, 22, 34).first, 0.9);
  EXPECT_LE(range_of(steep, 35, 60).second, 0.2);
}

TEST(AutoscaleCurves, BeginAgainAfterAnHourAndAnywhere) {
  const std::vector<double> hour = autoscale_curve("autoscale-large", 0, 3600).rps;
  const std::vector<double> later = autoscale_curve("autoscale-large", 3000, 1290).rps;
  ASSERT_EQ(later.size(), 22U);
  for (std::size_t i = 0; i < later.size(); ++i) EXPECT_EQ(later[i], hour[(50 + i) % 60]);
  EXPECT_THROW(autoscale_curve("autoscale-large", 0, 4e9), InputError);
}

// As InferLine sends them: each minute for 30 s, scaled so that the largest rate is 300 requests/s.
TEST(AutoscaleCurves, AreReplayedAtHalfAMinuteEach) {
  for (const std::string& shape : autoscale_shape_names()) {
    TraceSpec spec;
    spec.shape = shape;
    spec.duration_s = 1800;
    spec.scale_to = ScaleTo::kPeak;
    spec.process = ArrivalProcess::kUniform;
    const std::vector<double> counts = counts_of(*make_arrivals(spec, 300, 1), 30);
    const std::vector<double> shares = hour_of(shape);
    ASSERT_EQ(counts.size(), 60U);
    for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_NEAR(counts[i], 9000 * shares[i], 1.01) << i;
  }
}

}  // namespace
}  // namespace harness
