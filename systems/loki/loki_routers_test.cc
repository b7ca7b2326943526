#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/test_time.h"
#include "harness/serving/test_params.h"
#include "systems/loki/load_balancer.h"
#include "systems/loki/loki.h"
#include "systems/loki/loki_pipelines.h"
#include "systems/loki/loki_router.h"
#include "systems/loki/metadata.h"
#include "systems/loki/share_of_variants_router.h"
#include "systems/loki/task_budgets.h"
#include "systems/loki/test_loki_world.h"

namespace harness {
namespace {

/// A detector of 10 ms (100 frames/s) that finds three cars, and one of 4 ms that finds one; the classifiers
/// take 5 ms (200/s) or 2 ms (500/s) for a car.
struct Cars {
  explicit Cars(EarlyDropping rule = EarlyDropping::kReroute, double demand_rps = 50,
                RoutingParams other_params = {})
      : world({{"detect", {"cars"}, {task_variant("large", 1, {3}), task_variant("small", 0.5, {1})}},
               {"cars", {}, {task_variant("b7", 1), task_variant("b0", 0.8)}}},
              {{10}, {4}, {5}, {2}}, 100, 4),
        params(other_params) {
    params.early_dropping = rule;
    Metadata metadata;
    metadata.demand_rps = demand_rps;
    metadata.fan_out = declared_fan_out(world.pipeline);
    plan.details = std::make_shared<const Metadata>(metadata);
    balancer = std::make_shared<LoadBalancer>(world.context, params);
    detect = std::make_unique<LokiRouter>(world.context, 0, params, 2, 1, balancer);
    cars = std::make_unique<LokiRouter>(world.context, 2, params, 2, 1, balancer);
    for (ModuleId m = 0; m < 4; ++m) {
      const TimeNs exec_ns = world.profiles[m].latency(1);
      plan.modules.push_back({m == 1 ? 0 : 1, 1, exec_ns, latency_budget(exec_ns, 2)});
    }
    announce();
  }

  void announce() {
    detect->on_plan(plan);
    cars->on_plan(plan);
  }

  std::vector<std::uint32_t> frames(std::size_t count) {
    std::vector<std::uint32_t> out(count);
    detect->route(0, std::vector<Visit>(count), detectors, out);
    return out;
  }
  /// Returns the classifiers to which cars are sent whose frame came to the queue `spent` ago.
  std::vector<std::uint32_t> sent_on(TimeNs spent, std::size_t count, QueueId from = 0) {
    const std::vector<TimeNs> arrived(count, kNsPerS);
    std::vector<std::uint32_t> out(count);
    cars->route_onward(kNsPerS + spent, {from, 0, arrived}, std::vector<Visit>(count), classifiers, out);
    return out;
  }

  LokiWorld world;
  RoutingParams params;
  std::shared_ptr<LoadBalancer> balancer;
  std::unique_ptr<LokiRouter> detect, cars;
  Plan plan;
  std::vector<QueueView> detectors = {{0, 1, 0, 0}};
  std::vector<QueueView> classifiers = {{1, 1, 0, 2}, {2, 1, 0, 3}};
};

double share_of(const std::vector<std::uint32_t>& out, std::uint32_t choice) {
  double count = 0;
  for (const std::uint32_t each : out) count += each == choice ? 1 : 0;
  return count / static_cast<double>(out.size());
}

TEST(LokiRouter, SendsToTheMostAccurateThatHasRoom) {
  Cars light;  // 150 cars/s, 200/s of room at b7
  EXPECT_EQ(light.frames(3), (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_EQ(share_of(light.sent_on(10 * kMs, 100), 0), 1);
  Cars heavy(EarlyDropping::kReroute, 100);  // 300 cars/s
  heavy.frames(1);
  EXPECT_NEAR(share_of(heavy.sent_on(10 * kMs, 30'000), 0), 2.0 / 3, 5 * std::sqrt(2.0 / 9 / 30'000));
}

TEST(LokiRouter, ReroutesWhatIsBehindWhereItMakesUpForIt) {
  Cars cars;  // budget 20 ms; b7 takes 5, b0 3 less
  cars.frames(1);
  EXPECT_EQ(cars.sent_on(20 * kMs, 1), std::vector<std::uint32_t>{0});
  EXPECT_EQ(cars.sent_on(20 * kMs + 1, 1), std::vector<std::uint32_t>{1}) << "any delay is one";
  EXPECT_EQ(cars.sent_on(23 * kMs, 1), std::vector<std::uint32_t>{1});
  EXPECT_EQ(cars.cars->rerouted(), 2);
  EXPECT_EQ(cars.sent_on(23 * kMs + 1, 1), std::vector<std::uint32_t>{kRefused});
  EXPECT_EQ(cars.cars->rerouted(), 2) << "a dropped one is not rerouted";
}

TEST(LokiRouter, ReroutesUseUpWhatIsLeftUntilTheNextTables) {
  Cars cars;
  cars.frames(1);
  const std::vector<std::uint32_t> out = cars.sent_on(22 * kMs, 600);  // 500 visits/s of room at b0 for 1 s
  EXPECT_DOUBLE_EQ(share_of(out, 1), 500.0 / 600);
  EXPECT_DOUBLE_EQ(share_of(out, kRefused), 100.0 / 600);
}

TEST(LokiRouter, DropsAsTheRuleSaysWhereTheEndDecides) {
  RoutingParams at_end;
  at_end.drop_at = DropAt::kEnd;
  Cars per_task(EarlyDropping::kPerTask, 50, at_end);
  per_task.frames(1);
  EXPECT_EQ(per_task.sent_on(20 * kMs, 1), std::vector<std::uint32_t>{0});
  EXPECT_EQ(per_task.sent_on(20 * kMs + 1, 1), std::vector<std::uint32_t>{kRefused});
  for (const EarlyDropping rule : {EarlyDropping::kOff, EarlyDropping::kLastTask}) {
    Cars lenient(rule, 50, at_end);
    lenient.frames(1);
    EXPECT_EQ(lenient.sent_on(90 * kMs, 1), std::vector<std::uint32_t>{0});
  }
  Cars at_start(EarlyDropping::kPerTask);
  at_start.frames(1);
  EXPECT_EQ(at_start.sent_on(90 * kMs, 1), std::vector<std::uint32_t>{0}) << "its queue judged it before";
  EXPECT_EQ(at_start.cars->rerouted(), -1) << "never reroutes";
}

// With budgets of twice the execution b0's is 4 ms, b7's 10: up to 6 ms behind.
TEST(LokiRouter, ReroutesByBudgetsWhereToldTo) {
  RoutingParams params;
  params.reroute_limit = RerouteLimit::kBudget;
  Cars cars(EarlyDropping::kReroute, 50, params);
  cars.frames(1);
  EXPECT_EQ(cars.sent_on(20 * kMs, 1), std::vector<std::uint32_t>{0});
  EXPECT_EQ(cars.sent_on(20 * kMs + 1, 1), std::vector<std::uint32_t>{1});
  EXPECT_EQ(cars.sent_on(26 * kMs, 1), std::vector<std::uint32_t>{1});
  EXPECT_EQ(cars.sent_on(26 * kMs + 1, 1), std::vector<std::uint32_t>{kRefused});
}

TEST(LokiRouter, SendsOnAllThatQueuesHaveJudged) {
  RoutingParams params;
  params.drop_at = DropAt::kStart;
  Cars per_task(EarlyDropping::kPerTask, 50, params);
  per_task.frames(1);
  EXPECT_EQ(per_task.sent_on(90 * kMs, 1), std::vector<std::uint32_t>{0});
  Cars reroute(EarlyDropping::kReroute, 50, params);
  reroute.frames(1);
  EXPECT_EQ(reroute.sent_on(23 * kMs, 1), std::vector<std::uint32_t>{1});
  EXPECT_EQ(reroute.sent_on(90 * kMs, 1), std::vector<std::uint32_t>{kRefused});
}

TEST(LokiRouter, FollowsTheQueuesThatServe) {
  Cars cars;
  cars.frames(1);
  cars.sent_on(10 * kMs, 1);
  EXPECT_EQ(cars.sent_on(10 * kMs, 1, 77), std::vector<std::uint32_t>{0}) << "from a worker that is gone";
  cars.classifiers = {{2, 1, 0, 3}};  // the accurate one is gone
  EXPECT_EQ(share_of(cars.sent_on(10 * kMs, 100), 0), 1);
  cars.classifiers = {{2, 1, 0, 3}, {5, 1, 0, 2}, {9, 1, 0, 2}};  // two new ones
  const std::vector<std::uint32_t> both = cars.sent_on(10 * kMs, 10'000);
  EXPECT_EQ(share_of(both, 0), 0);
  EXPECT_NEAR(share_of(both, 1), 0.5, 0.025);
  cars.detectors = {{0, 1, 0, 0}, {3, 2, 0, 1}};  // 50 frames/s still fit the large one
  EXPECT_EQ(share_of(cars.frames(100), 0), 1);
}

TEST(LokiRouter, JudgesWhatStillRunsByThePlanThatFormedIt) {
  Cars cars;
  cars.frames(1);
  cars.plan.modules[0] = {0, 1, 0, 0};  // its batches end after the plan that takes its worker away
  cars.plan.modules[1] = {1, 1, 4 * kMs, 8 * kMs};
  cars.detectors = {{3, 1, 0, 1}};
  for (int plans = 0; plans < 2; ++plans) {
    cars.announce();
    cars.frames(1);
    EXPECT_EQ(cars.sent_on(20 * kMs, 1), std::vector<std::uint32_t>{0});
    EXPECT_EQ(cars.sent_on(20 * kMs + 1, 1), std::vector<std::uint32_t>{1});
  }
  cars.plan.modules[0] = {1, 1, 6 * kMs, 12 * kMs};  // it is back, by another plan
  cars.announce();
  EXPECT_EQ(cars.sent_on(12 * kMs, 1), std::vector<std::uint32_t>{0});
  EXPECT_EQ(cars.sent_on(12 * kMs + 1, 1), std::vector<std::uint32_t>{1});
}

/// A task with a variant of 10 ms and one of 5 ms, by Proteus's shares.
struct OneTask {
  explicit OneTask(std::vector<double> shares) {
    metadata->share = std::move(shares);
    plan.details = metadata;
  }

  LokiWorld world{{{"only", {}, {task_variant("a", 1), task_variant("b", 0.5)}}}, {{10}, {5}}, 100, 4};
  std::shared_ptr<Metadata> metadata = std::make_shared<Metadata>();
  Plan plan;
};

TEST(ShareOfVariantsRouter, SpreadsEachVariantsShareOverItsWorkers) {
  OneTask task({0.6, 0.4});
  ShareOfVariantsRouter router(task.world.context, 0, RoutingParams());
  router.on_plan(task.plan);
  constexpr std::size_t kVisits = 40'000;
  const std::vector<Visit> visits(kVisits);
  std::vector<std::uint32_t> out(kVisits);
  router.route(0, visits, std::vector<QueueView>{{0, 1, 0, 0}, {1, 1, 0, 1}, {2, 1, 0, 0}, {3, 1, 0, 0}},
               out);
  for (const std::uint32_t queue : {0U, 2U, 3U}) EXPECT_NEAR(share_of(out, queue), 0.2, 0.01);
  EXPECT_NEAR(share_of(out, 1), 0.4, 0.0125);
  task.metadata->share = {1, 0};  // its workers have not started yet
  router.route(0, visits, std::vector<QueueView>{{1, 1, 0, 1}, {4, 1, 0, 1}}, out);
  EXPECT_NEAR(share_of(out, 0), 0.5, 0.0125);
  EXPECT_NEAR(share_of(out, 1), 0.5, 0.0125);
}

// Three visits less than the other's; then both have five, and the first in order takes the next.
TEST(ShareOfVariantsRouter, SendsRequestsToTheShortestQueueWhereToldTo) {
  OneTask task({1, 0});
  RoutingParams params;
  params.root_routing = RootRouting::kShortest;
  ShareOfVariantsRouter router(task.world.context, 0, params);
  router.on_plan(task.plan);
  EXPECT_TRUE(router.needs_outstanding());
  std::vector<std::uint32_t> out(4);
  router.route(0, std::vector<Visit>(4), std::vector<QueueView>{{0, 1, 5, 0}, {1, 1, 0, 1}, {2, 1, 2, 0}},
               out);
  EXPECT_EQ(out, (std::vector<std::uint32_t>{2, 2, 2, 0})) << "b has no share, however short its queue is";
  task.metadata->share = {0, 0};
  router.route(0, std::vector<Visit>(1), std::vector<QueueView>{{0, 1, 5, 0}, {1, 1, 0, 1}},
               std::span(out).first(1));
  EXPECT_EQ(out[0], 1U) << "nobody has one";
}

// The two large detectors carry 150 frames/s: the small one gets none, however short its queue is.
TEST(LokiRouter, SendsRequestsToTheShortestQueueWhereToldTo) {
  RoutingParams params;
  params.root_routing = RootRouting::kShortest;
  Cars cars(EarlyDropping::kReroute, 150, params);
  EXPECT_TRUE(cars.detect->needs_outstanding());
  EXPECT_FALSE(cars.cars->needs_outstanding()) << "later tasks are drawn";
  EXPECT_FALSE(Cars().detect->needs_outstanding());
  cars.detectors = {{0, 1, 4, 0}, {3, 1, 0, 1}, {5, 1, 2, 0}};
  EXPECT_EQ(cars.frames(4), (std::vector<std::uint32_t>{2, 2, 0, 2}));
  cars.detectors = {{0, 1, 0, 0}, {3, 1, 0, 1}};
  EXPECT_EQ(cars.frames(2), (std::vector<std::uint32_t>{0, 1})) << "both are needed now";
  cars.classifiers = {{1, 1, 5000, 2}, {2, 1, 0, 3}};
  EXPECT_GT(share_of(cars.sent_on(10 * kMs, 1000), 0), 0.2) << "whatever waits there";
}

// 50 requests/s, which the accurate variant's worker carries alone (100/s), whatever its share.
TEST(ProteusRouting, IsBySharesOrMostAccurateFirst) {
  OneTask task({0.6, 0.4});
  task.metadata->demand_rps = 50;
  task.metadata->fan_out = declared_fan_out(task.world.pipeline);
  for (const Profile& profile : task.world.profiles) task.plan.modules.push_back({1, 1, profile.latency(1)});
  const auto accurate_share = [&](const char* routing) {
    const std::unique_ptr<System> proteus = make_proteus();
    set_params(*proteus, {{"routing", std::string(routing)}});
    const std::unique_ptr<Router> router = proteus->make_router(task.world.context, 0);
    router->on_plan(task.plan);
    std::vector<std::uint32_t> out(10'000);
    router->route(0, std::vector<Visit>(out.size()), std::vector<QueueView>{{0, 1, 0, 0}, {1, 1, 0, 1}}, out);
    return share_of(out, 0);
  };
  EXPECT_EQ(accurate_share("tables"), 1);
  EXPECT_NEAR(accurate_share("shares"), 0.6, 0.025);
}

}  // namespace
}  // namespace harness
