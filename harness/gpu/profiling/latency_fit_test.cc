#include "harness/gpu/profiling/latency_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

// SHEPHERD, Table 4: ResNet18 takes 0.22 b + 3.74 ms.
TEST(LatencyFit, FindsALineExactly) {
  std::vector<int> batches;
  std::vector<TimeNs> latency;
  for (const int batch : {1, 2, 3, 5, 8, 64, 128}) {
    batches.push_back(batch);
    latency.push_back(220'000 * batch + 3'740'000);
  }
  const auto fit = fit_latency(batches, latency);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->alpha_ns, 220'000, 1e-6);
  EXPECT_NEAR(fit->beta_ns, 3'740'000, 1e-4);
  EXPECT_NEAR(fit->r2, 1, 1e-12);
  EXPECT_LT(fit->largest_error, 1e-9);
}

// (1, 1), (2, 2), (4, 5): by hand alpha = 19/14, beta = -1/2, errors 1/7, 3/14, 1/14, r2 = 1 - (1/14) /
// (26/3).
TEST(LatencyFit, IsTheHandComputedOneOfThreePoints) {
  const auto fit = fit_latency(std::vector<int>{1, 2, 4}, std::vector<TimeNs>{1'000, 2'000, 5'000});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->alpha_ns, 19'000.0 / 14, 1e-9);
  EXPECT_NEAR(fit->beta_ns, -500, 1e-9);
  EXPECT_NEAR(fit->r2, 1 - 3.0 / 364, 1e-12);
  EXPECT_NEAR(fit->largest_error, 1.0 / 7, 1e-12);
  EXPECT_EQ(fit->largest_error_batch, 1);
}

// The normal equations in another form: alpha = (n S_bd - S_b S_d) / (n S_bb - S_b^2). Latencies fall and
// rise.
TEST(LatencyFit, AgreesWithTheNormalEquationsOnAnyLatencies) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, "fit");
    std::vector<int> batches;
    std::vector<TimeNs> latency;
    long double n = 0;
    long double s_b = 0;
    long double s_d = 0;
    long double s_bb = 0;
    long double s_bd = 0;
    for (int batch = 1; batch <= 40; batch += 1 + static_cast<int>(random.below(5))) {
      const auto time = static_cast<TimeNs>(1'000 + random.below(50'000'000));
      batches.push_back(batch);
      latency.push_back(time);
      const long double b = batch;
      const long double d = static_cast<long double>(time);
      n += 1;
      s_b += b;
      s_d += d;
      s_bb += b * b;
      s_bd += b * d;
    }
    const long double alpha = (n * s_bd - s_b * s_d) / (n * s_bb - s_b * s_b);
    const long double beta = (s_d - alpha * s_b) / n;
    const auto fit = fit_latency(batches, latency);
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->alpha_ns, static_cast<double>(alpha), 1e-3);
    EXPECT_NEAR(fit->beta_ns, static_cast<double>(beta), 1e-2);
    EXPECT_GE(fit->r2, -1e-12);
    EXPECT_LE(fit->r2, 1);
    double largest = 0;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      const auto measured = static_cast<double>(latency[i]);
      largest = std::max(largest, std::abs(fit->at(batches[i]) - measured) / measured);
    }
    EXPECT_DOUBLE_EQ(fit->largest_error, largest);
  }
}

TEST(LatencyFit, NeedsTwoSizes) {
  EXPECT_FALSE(fit_latency({}, {}));
  EXPECT_FALSE(fit_latency(std::vector<int>{4}, std::vector<TimeNs>{1'000}));
  const auto flat = fit_latency(std::vector<int>{1, 9}, std::vector<TimeNs>{500, 500});
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->alpha_ns, 0);
  EXPECT_EQ(flat->r2, 1);
}

}  // namespace

}  // namespace harness
