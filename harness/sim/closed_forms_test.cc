// Mean waits against queueing theory.

#include <gtest/gtest.h>

#include "harness/core/input_error.h"
#include "harness/engine/measured_slowdown.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_random_cells.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::linear_profile;

/// Returns the mean time from arrival to start in a single module, over seeds.
double mean_wait_s(int workers, double load, Jitter jitter, double exec_ms) {
  double sum_s = 0;
  double count = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const double rate = load * workers / (exec_ms * 1e-3);
    const TimeNs duration = s_to_ns(1.5e6 / rate);
    RunSpec spec =
        testing::make_spec("naive", testing::chain(1), {linear_profile("m", 0, exec_ms, 1)}, {{1, workers}},
                           s_to_ns(1), testing::poisson_times(rate, duration, seed), duration);
    spec.seed = seed;
    spec.world.jitter = jitter;
    spec.serving.queue = QueueScope::kModule;
    spec.serving.commit =
        Commit::kLate;  // a joined visit waits for its worker even if another falls free first
    const RunRecord record = simulate(spec, nullptr);
    sum_s += ns_to_s(record.modules[0].queueing_ns + record.modules[0].wait_ns);
    count += static_cast<double>(record.modules[0].done);
  }
  return sum_s / count;
}

/// Returns Erlang C: the probability of waiting in an M/M/c queue with offered load a = lambda / mu.
double erlang_c(int servers, double a) {
  double sum = 0;
  double term = 1;
  for (int k = 0; k < servers; ++k) {
    sum += term;
    term *= a / (k + 1);
  }
  const double last = term * servers / (servers - a);
  return last / (sum + last);
}

TEST(ClosedForms, MD1MeanWait) {
  constexpr double kExecMs = 10;
  for (const double load : {0.5, 0.8}) {
    const double expected =
        load * kExecMs * 1e-3 / (2 * (1 - load));  // Pollaczek-Khinchine, no variance of service
    EXPECT_NEAR(mean_wait_s(1, load, Jitter::kOff, kExecMs) / expected, 1.0, 0.01) << "load " << load;
  }
}

TEST(ClosedForms, MMcMeanWait) {
  constexpr double kExecMs = 10;
  for (const int servers : {1, 4, 16}) {
    const double load = 0.75;
    const double a = load * servers;
    const double expected = erlang_c(servers, a) * kExecMs * 1e-3 / (servers - a);
    EXPECT_NEAR(mean_wait_s(servers, load, Jitter::kExponential, kExecMs) / expected, 1.0, 0.01) << servers;
  }
}

}  // namespace

// Batches whose slowdown changes with time.

namespace {

using testing::linear_profile;

/// The cell has one worker, batches of 1 that take 10 ms by the profile, and requests at 0, 100 and 200 ms.
/// The slowdown is 2 until 105 ms, the middle between the two recorded batches, and 1 from then on.
TEST(MeasuredSlowdownRun, LatenciesByHand) {
  RunSpec spec = testing::make_spec("naive", testing::chain(1), {linear_profile("m", 0, 10, 1)}, {{1, 1}},
                                    s_to_ns(1), {0, ms_to_ns(100), ms_to_ns(200)}, ms_to_ns(300));
  spec.slowdown = std::make_shared<MeasuredSlowdown>(std::vector<MeasuredBatch>{
      {0, 0, ms_to_ns(20), ms_to_ns(10)}, {0, ms_to_ns(190), ms_to_ns(200), ms_to_ns(10)}});
  testing::RowKeeper rows;
  const RunRecord record = simulate(spec, &rows);
  EXPECT_EQ(record.in_time, 3u);
  ASSERT_EQ(rows.visit_rows.size(), 3u);
  EXPECT_EQ(rows.visit_rows[0].ended_ns, ms_to_ns(20));
  EXPECT_EQ(rows.visit_rows[1].ended_ns, ms_to_ns(112.5));  // 5 ms for 2.5 of it, then the other 7.5
  EXPECT_EQ(rows.visit_rows[2].ended_ns, ms_to_ns(210));
}

class OwnSlowdown : public ::testing::TestWithParam<const SystemEntry*> {};

/// The slowdowns of a run's batches determine their times: the repeated run is bit-identical. (For a batch
/// that was preempted, or whose visits were all cancelled, nobody knows the time that it would have taken.)
TEST_P(OwnSlowdown, MakesTheSameRun) {
  int ran = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto cell = [&] {
      RandomStream random(seed, GetParam()->name);
      RunSpec spec = testing::random_cell(random, *GetParam());
      spec.pipeline = testing::chain(3);
      spec.profiles = testing::random_profiles(random, 3);
      spec.workers = 6;
      spec.world.jitter = Jitter::kOff;
      testing::add_load(spec, random);
      return spec;
    };
    try {
      RunSpec jittery = cell();
      jittery.world.jitter = Jitter::kExponential;
      testing::RowKeeper rows;
      const RunRecord first = simulate(jittery, &rows);
      const auto preempted = [](const ModuleTotals& module) { return module.preempted > 0; };
      if (std::any_of(first.modules.begin(), first.modules.end(), preempted)) continue;
      EXPECT_NE(simulate(cell(), nullptr).fingerprint, first.fingerprint) << "seed " << seed;
      RunSpec measured = cell();
      measured.slowdown =
          std::make_shared<MeasuredSlowdown>(measured_batches(rows.visit_rows, jittery.profiles));
      EXPECT_EQ(simulate(measured, nullptr).fingerprint, first.fingerprint) << "seed " << seed;
      ++ran;
    } catch (const InputError&) {
      continue;  // the planner finds no batch size for this SLO
    }
  }
  EXPECT_GE(ran, 5);
}

INSTANTIATE_TEST_SUITE_P(AllSystems, OwnSlowdown, ::testing::ValuesIn(testing::every_system()),
                         testing::kSystemName);

}  // namespace
}  // namespace harness
