#include "systems/quart/stage_load.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

/// mu = 1, so that delays are in units of 1 / mu.
StageLoad unit_load(double rate_rps, double present = 0) { return {rate_rps, 1, 1, present}; }

/// Sums of the Poisson terms, as in textbooks: small cases only.
double textbook_delay_s(double offered, int replicas) {
  double term = 1;
  double sum = 0;
  for (int k = 0; k < replicas; ++k) {
    sum += term;
    term *= offered / (k + 1);
  }
  const double waiting = term / (1 - offered / replicas);
  return waiting / (sum + waiting) / (replicas - offered) + 1;
}

TEST(StageDelay, ErlangCAtOneReplicaIsOfMM1) {
  EXPECT_NEAR(erlang_c_delay_s(unit_load(0.5), 1), 2, 1e-12);
  EXPECT_NEAR(erlang_c_delay_s(unit_load(0.9), 1), 10, 1e-12);
  EXPECT_NEAR(erlang_c_delay_s(unit_load(0.99), 1), 100, 1e-9);
  EXPECT_EQ(erlang_c_delay_s(unit_load(0), 3), 1);
  EXPECT_TRUE(std::isinf(erlang_c_delay_s(unit_load(1), 1)));
}

TEST(StageDelay, EquationOneAsPrintedNeverPassesTwiceTheTimeOfOneReplica) {
  EXPECT_NEAR(printed_delay_s(unit_load(0.5), 1), 1.5, 1e-12);
  EXPECT_NEAR(printed_delay_s(unit_load(0.9), 1), 1.9, 1e-12);
  EXPECT_NEAR(printed_delay_s(unit_load(0.99), 1), 1.99, 1e-12);
  EXPECT_TRUE(std::isinf(printed_delay_s(unit_load(1), 1)));
}

TEST(StageDelay, EightReplicasAtALoadOfNineTenths) {
  EXPECT_NEAR(erlang_c_delay_s(unit_load(7.2), 8), 1.88, 0.005);
  EXPECT_NEAR(printed_delay_s(unit_load(7.2), 8), 1.00, 0.005);
}

TEST(StageDelay, PrintedTendsToItsLimitAtFullLoad) {
  // (1 + c! / c^c) / mu
  EXPECT_NEAR(printed_delay_s(unit_load(3 * 0.999999), 3), 1 + 6.0 / 27, 1e-5);
}

TEST(StageDelay, ErlangCIsThatOfTextbooks) {
  for (int replicas = 1; replicas <= 12; ++replicas) {
    for (double load = 0.05; load < 1; load += 0.05)
      EXPECT_NEAR(erlang_c_delay_s(unit_load(load * replicas), replicas) /
                      textbook_delay_s(load * replicas, replicas),
                  1, 1e-10);
  }
}

TEST(StageDelay, VariabilityMultipliesTheWaitAlone) {
  EXPECT_NEAR(erlang_c_delay_s(unit_load(0.9), 1, 0.5), 5.5, 1e-12);
  EXPECT_NEAR(erlang_c_delay_s(unit_load(0.9), 1, 0), 1, 1e-12);
}

TEST(StageDelay, ABacklogIsServedByAllReplicas) {
  EXPECT_DOUBLE_EQ(backlog_delay_s(unit_load(0.5, 1), 1), 1) << "it runs, nobody waits";
  EXPECT_DOUBLE_EQ(backlog_delay_s(unit_load(0.5, 11), 1), 11);
  EXPECT_DOUBLE_EQ(backlog_delay_s(unit_load(0.5, 12), 4), 3) << "8 wait before 4 replicas";
  // Batches of 4 in 2 s on each of two replicas: of 20 visits 12 wait, 3 s at 4 visits/s.
  EXPECT_DOUBLE_EQ(backlog_delay_s({0, 2, 2, 20}, 2), 5);
}

TEST(StageDelay, TheSmallestNumberThatMeetsTheTarget) {
  RandomStream random(1, "stage_delay_test");
  for (int i = 0; i < 2000; ++i) {
    const StageLoad load{30 * random.uniform(), 1, 1, 60 * random.uniform()};
    const double target_s = 1.05 + 3 * random.uniform();
    const double variability = 4 * random.uniform();
    const auto meets = [&](int r) {
      return erlang_c_delay_s(load, r, variability) <= target_s && backlog_delay_s(load, r) <= target_s;
    };
    const int found = replicas_within(load, target_s, variability, 1000);
    ASSERT_TRUE(meets(found)) << i;
    ASSERT_TRUE(found == 1 || !meets(found - 1)) << i;
    ASSERT_EQ(replicas_within(load, target_s, variability, 2), std::min(found, 2));
  }
}

}  // namespace
}  // namespace harness
