// Mean waits against queueing theory.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::linear_profile;

/// Mean time from arrival to start in a single module, over seeds.
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

/// Erlang C: the probability of waiting in an M/M/c queue with offered load a = lambda / mu.
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
}  // namespace harness
