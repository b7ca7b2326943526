// Theorem 5.2 as a property: FLEX's goodput against the optimum of Eq. 3.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "systems/shepherd/test_offline_instances.h"

namespace harness {
namespace {

/// The worst cases that were met.
struct Worst {
  double largest = 0;         ///< optimum / FLEX
  double share_of_bound = 0;  ///< largest ratio / (12.62 K or 10.81 K)
  int beyond = 0;             ///< instances beyond the bound
  std::string instance;

  void add(const LinearInstance& one, int optimum, int flex) {
    if (optimum == 0) return;
    const double ratio = flex == 0 ? 1e9 : static_cast<double>(optimum) / flex;
    const double share = ratio / one.competitive_ratio();
    if (ratio > largest)
      instance = text_of(one) + ": " + std::to_string(optimum) + " against " + std::to_string(flex);
    largest = std::max(largest, ratio);
    share_of_bound = std::max(share_of_bound, share);
    beyond += share > 1 ? 1 : 0;
  }
};

using MakeInstance = LinearInstance (*)(RandomStream&);

/// Compares FLEX by both rules for batches over `count` instances; the default must keep the bound.
void compare(const char* name, MakeInstance make, std::uint64_t count) {
  Worst skip, prefix, without;
  double share = 0;
  std::uint64_t counted = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    RandomStream random(seed, name);
    const LinearInstance one = make(random);
    const OfflineOptimum optimum = offline_optimum(one.instance);
    ASSERT_EQ(optimum.status, MilpStatus::kOptimal) << text_of(one);
    FlexParams params;
    const int flex = serve_by_flex(one.instance, params).in_time;
    ASSERT_LE(flex, optimum.in_time) << text_of(one);
    ASSERT_GE(flex * one.competitive_ratio(), optimum.in_time) << text_of(one);
    skip.add(one, optimum.in_time, flex);
    if (optimum.in_time > 0) {
      share += static_cast<double>(flex) / optimum.in_time;
      ++counted;
    }
    params.batch = FlexBatch::kPrefix;
    prefix.add(one, optimum.in_time, serve_by_flex(one.instance, params).in_time);
    params = {};
    params.preempt = false;
    without.add(one, optimum.in_time, serve_by_flex(one.instance, params).in_time);
  }
  std::printf("  %s: %llu instances, FLEX serves %.1f %% of the optimum on average\n", name,
              static_cast<unsigned long long>(count), 100 * share / static_cast<double>(counted));
  const auto print = [](const char* how, const Worst& worst) {
    std::printf("    %-22s worst ratio %5.2f, at most %3.0f %% of the bound, beyond it %d; %s\n", how,
                worst.largest, 100 * worst.share_of_bound, worst.beyond, worst.instance.c_str());
  };
  print("skip", skip);
  print("prefix", prefix);
  print("without preemption", without);
}

// Algorithm 2 as it is written stops at the earliest deadline: one request that leaves no time for a second
// keeps 20 others from being a batch. They would end in time together, but not after it. Theorem B.1
// has 10.81 for one GPU and one model: its proof takes any feasible batch of what waits to be no larger than
// the one that is generated, which is so of kSkip only.
TEST(FlexRatio, IsNotKeptByPrefixes) {
  LinearInstance one;
  one.add_model(1, 30, 128);
  one.instance.requests = {{0, 0, 31, 1}, {0, 0, 50, 20}};
  EXPECT_EQ(one.competitive_ratio(), 10.81);
  EXPECT_EQ(offline_optimum(one.instance).in_time, 20);
  FlexParams params;
  params.batch = FlexBatch::kPrefix;
  EXPECT_EQ(serve_by_flex(one.instance, params).in_time, 1);
  params.batch = FlexBatch::kSkip;
  EXPECT_GE(serve_by_flex(one.instance, params).in_time, 20 / 2.38);
}

TEST(FlexRatio, IsKeptOnSmallInstances) {
  compare(
      "small", [](RandomStream& random) { return random_instance(random, 5, 4, 16); }, 2'000);
}

TEST(FlexRatio, IsKeptOnLargerBatches) {
  compare(
      "larger", [](RandomStream& random) { return random_instance(random, 5, 14, 24); }, 400);
}

TEST(FlexRatio, IsKeptOnChainsOfEverLargerBatches) {
  compare(
      "chains", [](RandomStream& random) { return random_chain(random, 4); }, 600);
}

/// Returns the ratio of Eq. 25 (one GPU) or Eq. 47 (`several`) with K = 1, which is 1 over the smallest value
/// that max(r_R, r_E) has for any p. The first, (l - 1) / l min(p x1 / l, x2), grows with p up to a cap; the
/// second falls to 0 at p = 1.
double proved_ratio(bool several, double lambda, double x1, double x2, double x3) {
  const double kept = (lambda - 1) / lambda;
  const double rising = kept * x1 / lambda, falling = (several ? kept : 1) * x3;
  return 1 / std::min(rising * falling / (rising + falling), kept * x2);
}

/// Returns the least of these ratios over x1 + x2 + x3 = 1. With c the ratio, x2 = 1 / (kept c) suffices. The
/// rest is divided so that the sum of l / (kept x1) and 1 / x3, or 1 / (kept x3) for `several`, is least.
double least_ratio(bool several, double lambda) {
  const double kept = (lambda - 1) / lambda;
  const double root = std::sqrt(lambda / kept) + std::sqrt(several ? 1 / kept : 1);
  return root * root + 1 / kept;
}

/// Returns the lambda with the least ratio, in steps of 0.0001.
double best_lambda(bool several) {
  double best = 1.5;
  for (int i = 15'000; i <= 60'000; ++i) {
    if (least_ratio(several, i / 1e4) < least_ratio(several, best)) best = i / 1e4;
  }
  return best;
}

// The paper's own program, Eqs. 25, 26 and 47, has 10.87 at lambda = 2.29 (one GPU) and 12.67 at 2.82
// (several) as its optimum: the printed 10.81 and 12.62 are 0.6 and 0.4 % below what any lambda can have. At
// the printed 2.38 and 3.03 the ratio is 0.1 and 0.3 % above the optimum.
TEST(FlexRatio, IsABitLargerThanPrinted) {
  EXPECT_NEAR(best_lambda(false), 2.2917, 1e-4);
  EXPECT_NEAR(least_ratio(false, best_lambda(false)), 10.8728, 1e-4);
  EXPECT_NEAR(least_ratio(false, 2.38), 10.8813, 1e-4);
  EXPECT_NEAR(best_lambda(true), 2.8181, 1e-4);
  EXPECT_NEAR(least_ratio(true, best_lambda(true)), 12.6723, 1e-4);
  EXPECT_NEAR(least_ratio(true, 3.03), 12.7042, 1e-4);
}

TEST(FlexRatio, HasNoBetterValuesThanThoseOfTheClosedForm) {
  constexpr int kSteps = 400;
  for (const bool several : {false, true}) {
    for (const double lambda : {2.0, 2.38, 3.03, 4.0}) {
      double least = 1e9;
      for (int i = 1; i < kSteps; ++i) {
        for (int j = 1; i + j < kSteps; ++j) {
          const double x1 = i / double{kSteps}, x2 = j / double{kSteps};
          least = std::min(least, proved_ratio(several, lambda, x1, x2, 1 - x1 - x2));
        }
      }
      EXPECT_GE(least, least_ratio(several, lambda) * (1 - 1e-12)) << lambda;
      EXPECT_LE(least, least_ratio(several, lambda) * 1.03) << lambda;
    }
  }
}

// The smallest value over p by trying, at the values for one GPU and the printed lambda.
TEST(FlexRatio, IsTheWorstOverTheShareOfWhatRemains) {
  constexpr double kLambda = 2.38, kX1 = 0.70, kX2 = 0.16, kX3 = 0.14;
  double least = 1;
  for (int i = 0; i <= 1'000'000; ++i) {
    const double p = i / 1e6;
    const double r = (kLambda - 1) / kLambda * std::min(p * kX1 / kLambda, kX2);
    least = std::min(least, std::max(r, (1 - p) * kX3));
  }
  EXPECT_NEAR(1 / least, proved_ratio(false, kLambda, kX1, kX2, kX3), 1e-4);
}

}  // namespace
}  // namespace harness
