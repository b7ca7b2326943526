// Section 6.2, Eq. 8-10: by hand, against differences, and what the plain step of Eq. 10 does.
#include "systems/quart/dispersion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <numeric>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

double sum_of(const std::vector<double>& row) { return std::accumulate(row.begin(), row.end(), 0.0); }

/// Takes the step of Eq. 10 alone.
std::vector<double> plain_step(std::vector<double> row, double rate) {
  std::vector<double> gradient(row.size());
  kl_gradient(row, gradient);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] -= rate * gradient[j];
  return row;
}

/// Returns a random row over 1 to 40 servers; some servers have probability 0, or all but one.
std::vector<double> random_row(RandomStream& random) {
  std::vector<double> row(1 + random.below(40));
  const double zeros = random.uniform();
  for (double& p : row) p = random.uniform() < zeros ? 0 : random.exponential();
  if (sum_of(row) == 0) row[random.below(row.size())] = 1;
  const double sum = sum_of(row);
  for (double& p : row) p /= sum;
  return row;
}

TEST(Divergence, IsEquation8) {
  EXPECT_NEAR(kl_from_uniform(std::vector<double>{0.25, 0.25, 0.25, 0.25}), 0, 1e-15);
  EXPECT_NEAR(kl_from_uniform(std::vector<double>{0, 1, 0, 0}), std::log(4), 1e-12);
  EXPECT_NEAR(kl_from_uniform(std::vector<double>{0.5, 0, 0.5, 0}), std::log(2), 1e-12);
  EXPECT_NEAR(kl_from_uniform(std::vector<double>{0.75, 0.25}), 0.75 * std::log(1.5) + 0.25 * std::log(0.5),
              1e-12);
}

TEST(Divergence, HasTheGradientOfEquation9) {
  RandomStream random(1, "test.gradient");
  for (int round = 0; round < 200; ++round) {
    std::vector<double> row(1 + random.below(20));
    for (double& p : row) p = 0.01 + random.uniform();
    std::vector<double> gradient(row.size());
    kl_gradient(row, gradient);
    for (std::size_t j = 0; j < row.size(); ++j) {
      std::vector<double> more = row;
      std::vector<double> less = row;
      const double h = 1e-5 * row[j];
      more[j] += h;
      less[j] -= h;
      EXPECT_NEAR((kl_from_uniform(more) - kl_from_uniform(less)) / (2 * h), gradient[j], 1e-5);
    }
  }
}

// On three servers: 0.98 - 0.5 (1 + log 2.94) < 0, and the sum is 1 - 0.5 (3 + log 2.94 + 2 log 0.03). At the
// least divergence the gradient is 1 everywhere, so that the step leaves the minimum, too.
TEST(Divergence, TakesThePlainStepOutOfTheSimplex) {
  const std::vector<double> next = plain_step({0.98, 0.01, 0.01}, 0.5);
  EXPECT_NEAR(next[0], -0.05920, 1e-5);
  EXPECT_NEAR(sum_of(next), 2.46735, 1e-5);
  EXPECT_NEAR(sum_of(plain_step({0.25, 0.25, 0.25, 0.25}, 0.1)), 0.6, 1e-12);
}

// The nearest point p of a convex set to x: no corner of it lies beyond p as seen from x.
TEST(Simplex, ProjectionIsTheNearestRow) {
  std::vector<double> by_hand = {1.5, 0.7, -3};
  project_onto_simplex(by_hand);
  EXPECT_NEAR(by_hand[0], 0.9, 1e-12);
  EXPECT_NEAR(by_hand[1], 0.1, 1e-12);
  EXPECT_EQ(by_hand[2], 0);
  RandomStream random(2, "test.simplex");
  for (int round = 0; round < 500; ++round) {
    std::vector<double> x(1 + random.below(30));
    for (double& one : x) one = 3 * random.normal();
    std::vector<double> p = x;
    project_onto_simplex(p);
    EXPECT_NEAR(sum_of(p), 1, 1e-12);
    double inner = 0;  // (x - p) p
    for (std::size_t j = 0; j < x.size(); ++j) {
      EXPECT_GE(p[j], 0);
      inner += (x[j] - p[j]) * p[j];
    }
    for (std::size_t corner = 0; corner < x.size(); ++corner) EXPECT_LE(x[corner] - p[corner] - inner, 1e-9);
  }
}

// Pinsker: the sum of |p - q| is at most the root of twice the divergence.
TEST(Dispersion, EndsAtTheUniformRowFromAnyStart) {
  RandomStream random(3, "test.descent");
  Dispersion dispersion;
  int most_steps = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> row = random_row(random);
    most_steps = std::max(most_steps, dispersion.disperse(row, 1e-10));
    double distance = 0;
    for (const double p : row) distance += std::fabs(p - 1 / static_cast<double>(row.size()));
    EXPECT_LE(distance, 1.5e-5);
  }
  EXPECT_LE(most_steps, 1000);
  std::cout << "at most " << most_steps << " steps to a divergence of 1e-10\n";
}

TEST(Dispersion, StopsAtTheThresholdAndNeverMovesAway) {
  RandomStream random(4, "test.threshold");
  Dispersion dispersion;
  for (int round = 0; round < 300; ++round) {
    const std::vector<double> start = random_row(random);
    double before = kl_from_uniform(start);
    for (const double threshold : {2.0, 0.5, 0.1, 0.01, 1e-4}) {
      std::vector<double> row = start;
      const int steps = dispersion.disperse(row, threshold);
      EXPECT_EQ(steps == 0, kl_from_uniform(start) <= threshold);
      EXPECT_NEAR(sum_of(row), 1, 1e-12);
      EXPECT_LE(kl_from_uniform(row), std::max(threshold, 1e-15));
      EXPECT_LE(kl_from_uniform(row), before) << "a lower threshold goes on from there";
      before = kl_from_uniform(row);
    }
  }
}

}  // namespace
}  // namespace harness
