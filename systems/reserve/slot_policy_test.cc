// A queue by hand: batches of up to three visits, 20 ms for one, 30 for two, 40 for three; SLO 200 ms.
#include <gtest/gtest.h>

#include "harness/serving/test_world.h"
#include "systems/reserve/reserve.h"

namespace harness {
namespace {

std::string wake(TimeNs at_ms) { return "wake " + std::to_string(at_ms * kMs); }

class SlotPolicyTest : public ::testing::Test {
 protected:
  explicit SlotPolicyTest(bool hold = true) {
    ParamList params;
    system_->list(params);
    for (const Param& param : params.params()) {
      if (param.name == "hold") param.set(hold);
    }
    driver_ =
        std::make_unique<SchedulerDriver>(system_->make_scheduler(world_.context, 0, 0), world_.context);
    driver_->plan(0, world_.plan({3}));
    driver_->add(0, 0);
  }

  TestWorld world_{{linear_profile(10, 10, 3)}, 200 * kMs, 1};
  std::unique_ptr<System> system_ = make_reserve();
  std::unique_ptr<SchedulerDriver> driver_;
};

TEST_F(SlotPolicyTest, HoldsABatchThatIsNotFullUntilItMustStart) {
  EXPECT_EQ(driver_->arrive(5 * kMs, 1, 5 * kMs), wake(25)) << "a full one from 5 would end at 45";
  EXPECT_EQ(driver_->arrive(10 * kMs, 2, 10 * kMs), wake(15)) << "two take 30 ms";
  EXPECT_EQ(driver_->timer(15 * kMs), "join 0<1; join 0<2; report 4; launch 0");
}

TEST_F(SlotPolicyTest, StartsAFullBatchAtItsTurn) {
  driver_->arrive(5 * kMs, 1, 5 * kMs);
  driver_->arrive(6 * kMs, 2, 6 * kMs);
  EXPECT_EQ(driver_->arrive(7 * kMs, 3, 7 * kMs), "join 0<1; join 0<2; join 0<3; report 4; launch 0");
  driver_->started(7 * kMs, 0, 47 * kMs, 3);
  EXPECT_EQ(driver_->arrive(8 * kMs, 4, 8 * kMs), "") << "the worker is busy";
  driver_->done(47 * kMs, 0, 7 * kMs, 3);
  // The turn of 5 ms was the last; the next is a whole batch later, at 45, and made up for.
  EXPECT_EQ(driver_->free(47 * kMs, 0), wake(65));
}

TEST_F(SlotPolicyTest, EarliestDeadlineFirst) {
  driver_->arrive(5 * kMs, 1, 4 * kMs);
  driver_->arrive(5 * kMs, 2, 2 * kMs);
  EXPECT_EQ(driver_->arrive(5 * kMs, 3, 3 * kMs), "join 0<2; join 0<3; join 0<1; report 4; launch 0");
}

TEST_F(SlotPolicyTest, DoesNotHoldWhoWouldBeLate) {
  EXPECT_EQ(driver_->arrive(170 * kMs, 1, 0), wake(180)) << "to end at 200, its deadline";
  EXPECT_EQ(driver_->timer(180 * kMs), "join 0<1; report 4; launch 0");
}

TEST_F(SlotPolicyTest, DropsWhatCannotEndInTime) {
  EXPECT_EQ(driver_->arrive(181 * kMs, 1, 0), "drop 1 estimated_late; report 4");
  EXPECT_EQ(driver_->arrive(181 * kMs, 2, 1 * kMs), "join 0<2; report 4; launch 0");
}

TEST_F(SlotPolicyTest, ForgetsWhoIsCancelled) {
  driver_->arrive(5 * kMs, 1, 5 * kMs);
  driver_->arrive(6 * kMs, 2, 6 * kMs);
  driver_->cancel(7 * kMs, 1);
  EXPECT_EQ(driver_->timer(25 * kMs), "join 0<2; report 4; launch 0");
}

TEST_F(SlotPolicyTest, KeepsItsTurnWhenAWorkerIsLost) {
  driver_->arrive(5 * kMs, 1, 5 * kMs);
  driver_->timer(25 * kMs);
  driver_->lose(30 * kMs, 0, {}, 0);
  EXPECT_EQ(driver_->arrive(31 * kMs, 2, 31 * kMs), "") << "no worker";
  EXPECT_EQ(driver_->add(40 * kMs, 1), wake(65)) << "its turn is as for 45";
}

/// Returns the values of the queue's last report: (at, start of one more visit, lost, served).
std::vector<double> last_report(const Decisions& out) {
  std::vector<double> values;
  for (const Decision& decision : out.list()) {
    if (decision.kind != Decision::Kind::kReport) continue;
    const std::span<const double> reported = out.values(decision);
    values.assign(reported.begin(), reported.end());
  }
  return values;
}

TEST(SlotPolicy, ReportsWhenTheWorkersThatAreLeftAreFree) {
  TestWorld world({linear_profile(10, 10, 1)}, 500 * kMs, 2);  // batches of one, 20 ms
  const std::unique_ptr<System> system = make_reserve();
  const std::unique_ptr<Scheduler> scheduler = system->make_scheduler(world.context, 0, 0);
  Decisions out;
  scheduler->on_plan(0, world.plan({1}), out);
  for (const WorkerId id : {0u, 1u}) {
    scheduler->on_worker_added(0, id, out);
    scheduler->on_worker_free(0, id, out);
  }
  const auto serve = [&](TimeNs now, VisitId visit) {
    out.clear();
    scheduler->on_arrival(now, {visit, 0, 0, visit, now, now + 500 * kMs, now}, out);
    return last_report(out);
  };
  const auto run = [&](TimeNs now, WorkerId id) {
    const std::vector<BatchVisit> visits(1);
    scheduler->on_batch_started(now, {id, 0, now, now + 20 * kMs, visits}, out);
    scheduler->on_batch_done(now + 20 * kMs, {id, 0, now, now + 20 * kMs, visits, now + 20 * kMs}, out);
    scheduler->on_worker_free(now + 20 * kMs, id, out);
  };
  serve(0, 1);
  run(0, 0);
  serve(20 * kMs, 2);
  run(20 * kMs, 0);
  scheduler->on_worker_draining(50 * kMs, 0, out);
  const std::vector<double> report = serve(100 * kMs, 3);
  ASSERT_EQ(report.size(), 4U);
  EXPECT_EQ(report[1], 120e6) << "the other's end: the one that left does not count";
}

class Unheld : public SlotPolicyTest {
 protected:
  Unheld() : SlotPolicyTest(false) {}
};

TEST_F(Unheld, StartsWhatIsThereAtItsTurn) {
  EXPECT_EQ(driver_->arrive(5 * kMs, 1, 5 * kMs), "join 0<1; report 4; launch 0");
  driver_->started(5 * kMs, 0, 25 * kMs);
  driver_->arrive(10 * kMs, 2, 10 * kMs);
  driver_->done(25 * kMs, 0, 5 * kMs);
  EXPECT_EQ(driver_->free(25 * kMs, 0), wake(45)) << "one spacing, a whole batch, after the last turn";
}

}  // namespace
}  // namespace harness
