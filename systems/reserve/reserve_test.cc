// The parts of `reserve` together: its router and its controller. One module, two visits in 30 ms, one
// worker, SLO 100 ms: six requests at once fill the time.
#include "systems/reserve/reserve.h"

#include <gtest/gtest.h>

#include "harness/serving/test_world.h"

namespace harness {
namespace {

class ReserveTest : public ::testing::Test {
 protected:
  ReserveTest() {
    world_.context.serving.queue = QueueScope::kModule;
    ParamList params;
    system_->list(params);
    for (const Param& param : params.params()) {
      if (param.name == "margin") param.set(0.0);
    }
    controller_ = system_->make_controller(world_.context, 0);
    router_ = system_->make_router(world_.context, 0);
    router_->on_plan(world_.plan({2}));
  }
  bool enters(TimeNs now, TimeNs sent_ns) {
    const Visit visit{1, 0, 0, 1, sent_ns, sent_ns + 100 * kMs, 0};
    const QueueView queue;
    std::uint32_t choice = 0;
    router_->route(now, {&visit, 1}, {&queue, 1}, {&choice, 1});
    return choice != kRefused;
  }
  int admitted(TimeNs now) {
    int count = 0;
    while (enters(now, now)) ++count;
    return count;
  }

  TestWorld world_{{linear_profile(10, 10, 2)}, 100 * kMs, 1};
  std::unique_ptr<System> system_ = make_reserve();
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<Router> router_;
};

TEST_F(ReserveTest, RefusesWhoFindsNoPlace) { EXPECT_EQ(admitted(0), 6); }

TEST_F(ReserveTest, DoesNotBookAgainForWhoIsRoutedAgain) {
  EXPECT_TRUE(enters(kMs, kMs));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(enters(2 * kMs, kMs)) << "its queue has closed";
  EXPECT_EQ(admitted(2 * kMs), 4) << "from 31 and 61; the batch from 1 has started";
}

TEST_F(ReserveTest, TellsTheQueuesOnceAPeriodAndWhenBatchesChange) {
  Publication out;
  controller_->on_period(0, out);
  ASSERT_TRUE(out.due());
  EXPECT_EQ(out.state()[0], 2);
  out.clear();
  const double report[] = {0, 0, 0, 1};
  controller_->on_report(kMs, 0, report, out);
  EXPECT_FALSE(out.due()) << "nothing has changed";
  controller_->on_period(1000 * kMs, out);
  EXPECT_TRUE(out.due()) << "for queues that have opened since";
}

TEST_F(ReserveTest, BeginsTheNextRunWithNothingBooked) {
  EXPECT_EQ(admitted(0), 6);
  controller_.reset();
  router_.reset();
  router_ = system_->make_router(world_.context, 0);
  router_->on_plan(world_.plan({2}));
  EXPECT_EQ(admitted(0), 6);
}

}  // namespace
}  // namespace harness
