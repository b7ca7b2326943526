#include "systems/inferline/foresight_tuner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

#include "harness/sim/test_run.h"
#include "systems/inferline/estimator.h"
#include "systems/inferline/replicas_for_window.h"
#include "systems/inferline/test_inferline_world.h"

namespace harness {
namespace {

using testing::add_even;
using testing::InferLineWorld;

/// One model of 10 ms a query, within an SLO of 15 ms.
InferLineWorld one_model(double activation_s) {
  InferLineWorld world;
  world.pipeline = testing::chain(1);
  world.devices = {testing::device_of("gpu", 100, 1, {{10, 0, 1}})};
  world.context.slo_ns = 15 * kNsPerMs;
  world.context.activation_ns = {s_to_ns(activation_s)};
  return world;
}

/// The load of `one_model`: 50/s, which one replica serves, and 150/s in [from, to), which needs two.
std::vector<TimeNs> bursts_of(const std::vector<std::pair<int, int>>& bursts, int seconds) {
  std::vector<TimeNs> times;
  int at = 0;
  for (const auto& [from, to] : bursts) {
    add_even(times, at, from, 50);
    add_even(times, from, to, 150);
    at = to;
  }
  add_even(times, at, seconds, 50);
  return times;
}

/// Returns the replicas of a model that the tuner asks for each second.
std::vector<int> schedule_of(const InferLineWorld& world, const Configuration& planned, int seconds,
                             std::size_t module = 0) {
  const Hardware hardware(world.context);
  const auto tuner = make_foresight_tuner(world.context, hardware, planned, kNsPerS);
  std::vector<int> replicas;
  for (int second = 0; second < seconds; ++second)
    replicas.push_back(tuner->replicas(second * kNsPerS, {}, {})[module]);
  return replicas;
}

/// Returns 1 replica for each second, and 2 in [from, to).
std::vector<int> two_within(int seconds, const std::vector<std::pair<int, int>>& spans) {
  std::vector<int> replicas(static_cast<std::size_t>(seconds), 1);
  for (const auto& [from, to] : spans) std::fill(replicas.begin() + from, replicas.begin() + to, 2);
  return replicas;
}

// By hand: 150 queries/s are work of 1.5 s a second. The window of the second from 20 s on begins two SLOs,
// 30 ms, before it, with four queries of the burst 6.7 ms apart: at one replica the third of them waits 6.7
// ms, which with its 10 ms is above the SLO, and of 54 queries none may be late. So the seconds 10 to 20 need
// two.
TEST(ForesightTuner, AddsAReplicaJustBeforeAStepAndTakesItAwayAfterIt) {
  for (const double activation_s : {0.0, 4.0, 4.5, 5.0}) {
    InferLineWorld world = one_model(activation_s);
    world.planning.run = bursts_of({{10, 20}}, 40);
    world.link();
    const int from = 10 - static_cast<int>(std::ceil(activation_s));
    EXPECT_EQ(schedule_of(world, {{0, 1, 1}}, 40), two_within(40, {{from, 21}})) << activation_s;
  }
}

// A gap in the need costs as many seconds as it lasts when it is bridged, and 5 s of activation when it is
// not.
TEST(ForesightTuner, BridgesAShortDipAndNotALongOne) {
  InferLineWorld world = one_model(5);
  world.planning.run = bursts_of({{10, 12}, {18, 20}}, 40);  // needs two in [10, 13) and [18, 21)
  world.link();
  EXPECT_EQ(schedule_of(world, {{0, 1, 1}}, 40), two_within(40, {{5, 21}}));
  world.planning.run = bursts_of({{10, 12}, {19, 21}}, 40);
  EXPECT_EQ(schedule_of(world, {{0, 1, 1}}, 40), two_within(40, {{5, 13}, {14, 22}}));
}

TEST(ForesightTuner, KnowsNothingBeyondTheActivationAndAPeriod) {
  InferLineWorld world = one_model(5);
  world.planning.run = bursts_of({{10, 20}}, 40);
  world.link();
  const std::vector<int> before = schedule_of(world, {{0, 1, 1}}, 15);
  // The decision at 14 s sees the queries up to 20 s.
  std::erase_if(world.planning.run, [](TimeNs sent) { return sent >= 20 * kNsPerS; });
  add_even(world.planning.run, 20, 40, 1000);
  EXPECT_EQ(schedule_of(world, {{0, 1, 1}}, 15), before);
  EXPECT_EQ(schedule_of(world, {{0, 1, 1}}, 16).back(), 10);
}

/// True if every model keeps up and P99 meets the SLO, by an estimator of its own.
bool is_feasible(const InferLineWorld& world, const Hardware& hardware, const Configuration& configuration,
                 const QueryWindow& window) {
  std::vector<TimeNs> times;
  for (const TimeNs sent : window.sent_ns) times.push_back(sent - window.sent_ns.front());
  Estimator estimator(world.pipeline, hardware, times, window.seed, PathDraws::kRoute, window.first);
  Configuration most = configuration;
  for (ModuleId m = 0; m < configuration.size(); ++m) {
    const double visits = estimator.scale_factor(m) * static_cast<double>(times.size());
    double best_rps = 0;
    for (int batch = 1; batch <= configuration[m].max_batch; ++batch)
      best_rps = std::max(best_rps, worker_rps(hardware.profile(m, configuration[m]), batch));
    if (visits > configuration[m].replicas * best_rps * ns_to_s(window.length_ns) + 1e-6) return false;
    most[m].replicas = static_cast<int>(times.size());
  }
  const auto late = [&](const Configuration& of) {
    const std::span<const TimeNs> latencies = estimator.latencies(of);
    return static_cast<std::size_t>(
        std::ranges::count_if(latencies, [&](TimeNs latency) { return latency > world.context.slo_ns; }));
  };
  const std::size_t at_most = std::max(times.size() / 100, late(most));
  return late(configuration) <= at_most;
}

/// Returns a second of a world's sample.
QueryWindow second_of(const InferLineWorld& world, int second) {
  const std::vector<TimeNs>& sample = world.planning.sample;
  const auto first = std::ranges::lower_bound(sample, second * kNsPerS);
  const auto end = std::lower_bound(first, sample.end(), (second + 1) * kNsPerS);
  return {{first, end}, kNsPerS, static_cast<std::uint64_t>(first - sample.begin()), 7};
}

// Brute force: the replicas of a window are feasible, no single replica can go, and for one model no smaller
// number is feasible.
TEST(ReplicasForWindow, AreFeasibleAndFew) {
  int windows = 0;
  int several = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, "test.inferline.foresight");
    const auto world = testing::random_inferline_world(random);
    const Hardware hardware(world->context);
    Configuration planned;
    for (ModuleId m = 0; m < world->pipeline.modules.size(); ++m) {
      const std::uint16_t fastest = hardware.fastest(m);
      planned.push_back({hardware.next_cheaper(m, fastest), 1, 1});  // a kind of which several are needed
      const int largest = hardware.profile(m, planned[m]).max_batch();
      planned[m].max_batch = std::min(largest, 1 << random.below(4));
    }
    for (int second = 0; second < 10; second += 3) {
      const QueryWindow window = second_of(*world, second);
      if (window.sent_ns.empty()) continue;
      ++windows;
      Configuration found = planned;
      const std::vector<int> replicas =
          replicas_for_window(world->pipeline, hardware, planned, window, world->context.slo_ns);
      for (ModuleId m = 0; m < found.size(); ++m) found[m].replicas = replicas[m];
      ASSERT_TRUE(is_feasible(*world, hardware, found, window)) << "seed " << seed;
      for (ModuleId m = 0; m < found.size(); ++m) {
        several += found[m].replicas > 1 ? 1 : 0;
        Configuration fewer = found;
        while (--fewer[m].replicas > 0) {
          EXPECT_FALSE(is_feasible(*world, hardware, fewer, window)) << "seed " << seed << ", module " << m;
          if (found.size() > 1) break;
        }
      }
    }
  }
  EXPECT_GT(windows, 200);
  EXPECT_GT(several, 50);
}

// If a query cannot be in time with any number of replicas, the replicas that keep up are enough.
TEST(ReplicasForWindow, KeepUpWhereTheSloIsOutOfReach) {
  InferLineWorld world = one_model(0);
  world.context.slo_ns = 9 * kNsPerMs;
  add_even(world.planning.sample, 0, 1, 250);
  world.link();
  const Hardware hardware(world.context);
  const QueryWindow window = second_of(world, 0);
  EXPECT_EQ(replicas_for_window(world.pipeline, hardware, {{0, 1, 1}}, window, world.context.slo_ns),
            (std::vector<int>{3}));
  EXPECT_EQ(replicas_for_window(world.pipeline, hardware, {{0, 1, 1}}, {}, world.context.slo_ns),
            (std::vector<int>{1}));
}

/// Finds the cheapest schedule by trying all. A period costs one replica-period for each replica that has
/// been started. A replica serves from `activation` periods after its start on; the replicas of the first
/// period serve at once.
class AllSchedules {
 public:
  AllSchedules(std::vector<int> needs, int activation) : needs_(std::move(needs)), activation_(activation) {}

  int cheapest() {
    int best = kNone;
    for (int first = 1; first <= most(); ++first) {
      std::vector<int> by_age(static_cast<std::size_t>(activation_) + 1, 0);
      by_age.back() = first;
      best = std::min(best, from(0, by_age));
    }
    return best;
  }

 private:
  static constexpr int kNone = 1 << 20;

  int most() const { return *std::ranges::max_element(needs_); }
  /// Returns the least cost from a period on. `by_age` is the number of replicas of each age; the replicas of
  /// its last entry serve.
  int from(std::size_t period, const std::vector<int>& by_age) {
    if (period == needs_.size()) return 0;
    if (by_age.back() < needs_[period]) return kNone;
    const auto key = std::pair(period, by_age);
    if (const auto known = costs_.find(key); known != costs_.end()) return known->second;
    const int best = std::accumulate(by_age.begin(), by_age.end(), 0) + after_changes(period, by_age);
    costs_.emplace(key, best);
    return best;
  }
  /// Returns the least cost from the next period on, after any replicas have been taken away and any number
  /// added.
  int after_changes(std::size_t period, const std::vector<int>& by_age) {
    int best = kNone;
    std::vector<int> kept(by_age.size(), 0);
    const std::function<void(std::size_t)> keep = [&](std::size_t age) {
      if (age < by_age.size()) {
        for (kept[age] = 0; kept[age] <= by_age[age]; ++kept[age]) keep(age + 1);
        return;
      }
      for (int added = 0; added <= most(); ++added) {
        std::vector<int> next(by_age.size(), 0);
        for (std::size_t i = 0; i < kept.size(); ++i) next[std::min(i + 1, kept.size() - 1)] += kept[i];
        next[0] += added;  // with no activation they serve at once
        best = std::min(best, from(period + 1, next));
      }
    };
    keep(0);
    return best;
  }

  std::vector<int> needs_;
  int activation_;
  std::map<std::pair<std::size_t, std::vector<int>>, int> costs_;
};

// One model under loads of 50 to 250/s, which need one to three replicas a second.
TEST(ForesightTuner, IsTheCheapestOfAllSchedulesThatServeTheNeeds) {
  constexpr int kSeconds = 9;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    RandomStream random(seed, "test.inferline.schedules");
    const int activation = static_cast<int>(seed % 4);
    InferLineWorld world = one_model(0);
    for (int second = 0; second < kSeconds; ++second)
      add_even(world.planning.run, second, second + 1, 50 + 100 * static_cast<double>(random.below(3)));
    world.link();
    const std::vector<int> needs = schedule_of(world, {{0, 1, 1}}, kSeconds);
    world.context.activation_ns = {activation * kNsPerS};
    const std::vector<int> schedule = schedule_of(world, {{0, 1, 1}}, kSeconds);
    EXPECT_EQ(std::accumulate(schedule.begin(), schedule.end(), 0),
              AllSchedules(needs, activation).cheapest())
        << "seed " << seed;
  }
}

// In a whole run: the replica that the step at 10 s needs is started 5 s before it and ends after it, and
// nothing is late.
TEST(ForesightTuner, ServesAStepInARun) {
  const std::vector<TimeNs> sent = bursts_of({{10, 20}}, 40);
  RunSpec spec = testing::make_spec("inferline", testing::chain(1), {testing::linear_profile("m", 10, 0, 1)},
                                    {}, 15 * kNsPerMs, sent, 40 * kNsPerS);
  spec.workers = 10;
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  spec.world.cold_start_ms = 5000;
  testing::set_param(spec, "tuner", std::string("foresight"));
  auto planning = std::make_shared<PlanningTimes>();
  add_even(planning->sample, 0, 10, 50);
  planning->sample_ns = 10 * kNsPerS;
  planning->run = sent;
  planning->run_ns = 40 * kNsPerS;
  spec.planning = planning;
  EXPECT_TRUE(spec.system->traits().wants_foresight);
  const testing::Ran ran(spec);
  EXPECT_EQ(ran.record.late, 0u);
  ASSERT_EQ(ran.record.workers.size(), 2u);
  EXPECT_EQ(ran.record.workers[1].added_ns, 5 * kNsPerS);
  EXPECT_EQ(ran.record.workers[1].ready_ns, 10 * kNsPerS);
  EXPECT_EQ(ran.record.workers[1].removed_ns, 21 * kNsPerS);
}

}  // namespace
}  // namespace harness
