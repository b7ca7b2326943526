#include "systems/pard/batch_wait_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

constexpr TimeNs kExec = 20 * kNsPerMs;
constexpr int kSamples = 10'000;

/// P(sum of n independent U(0,1) <= x).
double irwin_hall(int n, double x) {
  double sum = 0;
  double binomial = 1;
  double factorial = 1;
  for (int k = 1; k <= n; ++k) factorial *= k;
  for (int k = 0; k <= n && k < x; ++k) {
    sum += (k % 2 == 0 ? 1 : -1) * binomial * std::pow(x - k, n);
    binomial = binomial * (n - k) / (k + 1);
  }
  return sum / factorial;
}

double uniform_quantile(int modules, double lambda, std::uint64_t seed, int samples = kSamples) {
  const WaitTable table = WaitTable::uniform(kExec);
  const std::vector<const WaitTable*> path(static_cast<std::size_t>(modules), &table);
  return BatchWaitSampler(seed, 0, samples).quantile(path, lambda) / static_cast<double>(kExec);
}

// The check values of the reconstruction: U(0, d) waits of 1 to 5 later modules, lambda 0.1.
TEST(BatchWaitSampler, GivesTheIrwinHallQuantilesAtATenth) {
  constexpr double kExpected[] = {0.100, 0.447, 0.843, 1.247, 1.661};
  for (int n = 1; n <= 5; ++n) {
    double mean = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) mean += uniform_quantile(n, 0.1, seed) / 20;
    // Standard error of a mean of 20 quantiles of 10,000 samples: at most 0.002 (n = 5); the check values
    // have 3 digits.
    EXPECT_NEAR(mean, kExpected[n - 1], 0.006) << n;
  }
}

// Section 4.2: w_k tends to half of the sum of the executions the more modules follow; here it is 0.2, 0.45,
// 0.56, 0.62, ... of that half. In its example, four modules of equal executions, it is 0.84 d, 0.45 d, 0.1 d
// and nothing.
TEST(BatchWaitSampler, TendsToHalfOfTheSumWithMoreModules) {
  double before = 0;
  for (int n = 1; n <= 32; n *= 2) {
    const double share = uniform_quantile(n, 0.1, 1) / (0.5 * n);
    EXPECT_GT(share, before) << n;
    EXPECT_LT(share, 1) << n;
    before = share;
  }
  EXPECT_GT(before, 0.85);
}

TEST(BatchWaitSampler, AgreesWithTheIrwinHallDistribution) {
  for (int n = 1; n <= 7; ++n) {
    for (const double lambda : {0.01, 0.075, 0.15, 0.5, 0.9, 0.99}) {
      const double found = irwin_hall(n, uniform_quantile(n, lambda, 7));
      EXPECT_NEAR(found, lambda, 4.5 * std::sqrt(lambda * (1 - lambda) / kSamples) + 1e-4)
          << n << " " << lambda;
    }
  }
}

TEST(BatchWaitSampler, AddsDifferentDistributions) {
  // U(0, d) + U(0, 3d): the density rises to 1/(3d) at d and stays until 3d; P(sum <= d) = 1/6.
  const WaitTable small = WaitTable::uniform(kExec);
  const WaitTable large = WaitTable::uniform(3 * kExec);
  const WaitTable* const path[] = {&small, &large};
  EXPECT_NEAR(BatchWaitSampler(1, 0, 100'000).quantile(path, 1.0 / 6) / static_cast<double>(kExec), 1.0,
              0.02);
}

TEST(BatchWaitSampler, TakesTheSmallestSumThatReachesLambda) {
  // With one sample every quantile is that sample; with lambda = 1 it is the largest one.
  EXPECT_EQ(uniform_quantile(2, 0.01, 5, 1), uniform_quantile(2, 0.99, 5, 1));
  EXPECT_LE(uniform_quantile(2, 0.5, 5, 2), uniform_quantile(2, 0.51, 5, 2));
  EXPECT_NEAR(uniform_quantile(1, 1.0, 5), 1.0, 0.01);
}

/// Draws the sums one after the other: a word of the stream gives four draws of 16 bits, the upper 6 of which
/// choose a segment of the table, and the others a step in it.
std::vector<float> sums_one_by_one(RandomStream& stream, std::span<const WaitTable* const> path,
                                   int samples) {
  std::vector<float> sums(static_cast<std::size_t>(samples), 0.0F);
  for (std::size_t first = 0; first < path.size(); first += 4) {
    for (float& sum : sums) {
      std::uint64_t word = stream.bits();
      for (std::size_t m = first; m < std::min(first + 4, path.size()); ++m, word >>= 16) {
        const auto segment = static_cast<std::size_t>((word >> 10) & 63);
        const float step = (path[m]->at[segment + 1] - path[m]->at[segment]) / 1024;
        const float start = path[m]->at[segment] + 0.5F * step;
        sum += start + step * static_cast<float>(word & 1023);
      }
    }
  }
  std::sort(sums.begin(), sums.end());
  return sums;
}

// Four samples are drawn at a time, also of a number that four does not divide, and call after call.
TEST(BatchWaitSampler, DrawsToTheBitWhatOneByOneWouldBeDrawn) {
  RandomStream random(1, "batch_wait_test");
  for (int samples = 1; samples <= 200; samples += samples < 12 ? 1 : 37) {
    std::vector<WaitTable> tables(7);
    for (WaitTable& table : tables) {
      float value = 0;
      for (float& point : table.at) point = value += static_cast<float>(random.uniform() * 1e6);
    }
    BatchWaitSampler sampler(3, 2, samples);
    RandomStream stream(3, "pard.batch_wait", 2);
    for (std::size_t modules = 1; modules <= tables.size(); ++modules) {
      std::vector<const WaitTable*> path;
      for (std::size_t m = 0; m < modules; ++m) path.push_back(&tables[m]);
      const double lambda = random.uniform_positive();
      const auto rank = static_cast<std::size_t>(std::ceil(lambda * samples));
      const double expected = static_cast<double>(sums_one_by_one(stream, path, samples)[rank - 1]);
      EXPECT_EQ(sampler.quantile(path, lambda), expected) << samples << " samples, " << modules << " modules";
    }
  }
}

TEST(BatchWaitSampler, KnowsAConstant) {
  WaitTable constant;
  constant.at.fill(5e6F);
  const WaitTable* const path[] = {&constant, &constant, &constant};
  for (const double lambda : {0.001, 0.1, 1.0})
    EXPECT_EQ(BatchWaitSampler(1, 0, 1'000).quantile(path, lambda), 15e6);
}

TEST(BatchWaitSampler, GivesZeroWithoutModulesOrWaits) {
  const WaitTable none;
  const WaitTable* const path[] = {&none};
  EXPECT_EQ(BatchWaitSampler(1, 0, 100).quantile({}, 0.5), 0);
  EXPECT_EQ(BatchWaitSampler(1, 0, 100).quantile(path, 0.5), 0);
}

TEST(BatchWaitSampler, DependsOnSeedAndModuleAlone) {
  const WaitTable table = WaitTable::uniform(kExec);
  const WaitTable* const path[] = {&table, &table};
  BatchWaitSampler first(1, 2, 100);
  BatchWaitSampler same(1, 2, 100);
  EXPECT_EQ(first.quantile(path, 0.1), same.quantile(path, 0.1));
  EXPECT_NE(first.quantile(path, 0.1), BatchWaitSampler(1, 2, 100).quantile(path, 0.1));
  EXPECT_NE(BatchWaitSampler(1, 2, 100).quantile(path, 0.1), BatchWaitSampler(1, 3, 100).quantile(path, 0.1));
  EXPECT_NE(BatchWaitSampler(1, 2, 100).quantile(path, 0.1), BatchWaitSampler(2, 2, 100).quantile(path, 0.1));
}

}  // namespace
}  // namespace harness
