#include <gtest/gtest.h>

#include <vector>

#include "harness/serving/common_routers.h"
#include "harness/serving/router.h"
#include "harness/serving/system.h"
#include "harness/serving/test_world.h"

namespace harness {
namespace {

std::vector<QueueView> queues(const std::vector<int>& outstanding, const std::vector<int>& workers = {}) {
  std::vector<QueueView> views;
  for (std::size_t i = 0; i < outstanding.size(); ++i) {
    views.push_back({static_cast<QueueId>(10 + i), workers.empty() ? 1 : workers[i], outstanding[i]});
  }
  return views;
}

std::vector<std::uint32_t> route(Router& router, std::size_t visits, const std::vector<QueueView>& views) {
  const std::vector<Visit> batch(visits);
  std::vector<std::uint32_t> out(visits, kNone);
  router.route(0, batch, views, out);
  return out;
}

using Chosen = std::vector<std::uint32_t>;

TEST(RoundRobinRouter, GoesQueueAfterQueueAcrossCalls) {
  const auto router = make_round_robin_router();
  EXPECT_FALSE(router->needs_outstanding());
  EXPECT_EQ(route(*router, 4, queues({0, 0, 0})), (Chosen{0, 1, 2, 0}));
  EXPECT_EQ(route(*router, 2, queues({9, 9, 9})), (Chosen{1, 2}));
}

TEST(RoundRobinRouter, SurvivesQueuesComingAndGoing) {
  const auto router = make_round_robin_router();
  EXPECT_EQ(route(*router, 2, queues({0, 0, 0})), (Chosen{0, 1}));
  EXPECT_EQ(route(*router, 3, queues({0, 0})), (Chosen{0, 1, 0})) << "index 2 is gone";
  EXPECT_EQ(route(*router, 3, queues({0, 0, 0, 0})), (Chosen{1, 2, 3}));
}

TEST(LeastOutstandingRouter, TakesTheLeastOutstandingAndTheLowestOfEquals) {
  const auto router = make_least_outstanding_router();
  EXPECT_TRUE(router->needs_outstanding());
  EXPECT_EQ(route(*router, 1, queues({3, 1, 2})), (Chosen{1}));
  EXPECT_EQ(route(*router, 1, queues({2, 2, 2})), (Chosen{0}));
}

TEST(LeastOutstandingRouter, CountsItsOwnChoicesWithinACall) {
  const auto router = make_least_outstanding_router();
  // 3,1,2 -> 1 (3,2,2) -> 1 (3,3,2) -> 2 (3,3,3) -> 0
  EXPECT_EQ(route(*router, 4, queues({3, 1, 2})), (Chosen{1, 1, 2, 0}));
}

TEST(LeastOutstandingRouter, ComparesPerWorker) {
  const auto router = make_least_outstanding_router();
  // 3/1 against 4/2, then 5/2: 2.0, 2.5 < 3; 6/2 = 3 ties with 3/1 and the lower index wins.
  EXPECT_EQ(route(*router, 3, queues({3, 4}, {1, 2})), (Chosen{1, 1, 0}));
}

/// A system that leaves everything to the defaults.
class PlainSystem final : public System {
 public:
  void list(ParamList&) override {}
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext&, QueueId, ModuleId) override {
    return nullptr;
  }
};

TEST(System, DefaultRouterFollowsTheDispatchSetting) {
  TestWorld world({linear_profile(1, 1, 4)}, 100 * kMs, 1);
  PlainSystem system;
  EXPECT_FALSE(system.make_router(world.context, 0)->needs_outstanding());
  world.context.serving.dispatch = Dispatch::kLeastOutstanding;
  EXPECT_TRUE(system.make_router(world.context, 0)->needs_outstanding());
  EXPECT_EQ(system.make_controller(world.context, 0), nullptr);
}

}  // namespace
}  // namespace harness
