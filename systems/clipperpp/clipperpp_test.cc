#include "systems/clipperpp/clipperpp.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "harness/serving/test_params.h"
#include "harness/serving/test_world.h"

namespace harness {
namespace {

/// Module 1 of a chain of three with budgets 100, 50 and 150 ms out of an SLO of 300 ms, batches of at
/// most 4.
class ClipperppTest : public testing::Test {
 protected:
  void start(const ParamValues& values = {}) {
    set_params(*system_, values);
    driver_ =
        std::make_unique<SchedulerDriver>(system_->make_scheduler(world_.context, 0, 1), world_.context, 1);
    Plan plan = world_.plan({4, 4, 4});
    plan.modules[0].budget_ns = 100 * kMs;
    plan.modules[1].budget_ns = 50 * kMs;
    plan.modules[2].budget_ns = 150 * kMs;
    driver_->plan(0, plan);
  }

  TestWorld world_{
      {linear_profile(10, 5, 8), linear_profile(10, 5, 8), linear_profile(10, 5, 8)}, 300 * kMs, 3};
  std::unique_ptr<System> system_ = make_clipperpp();
  std::unique_ptr<SchedulerDriver> driver_;
};

constexpr const char* kServed = "join 0<1; launch 0";
const ParamValues kCumulative = {{"budget", std::string("cumulative")}};

// One visit, sent at 0, that comes at some moment; then there is a worker.
TEST_F(ClipperppTest, ServesUpToTheBudgetsAndDropsOneNanosecondLater) {
  struct Case {
    const char* what;
    const char* budget;  ///< "": by default
    TimeNs arrives, free;
    bool served;
  };
  const Case cases[] = {
      {"at the sum of the budgets", "cumulative", 20 * kMs, 150 * kMs, true},
      {"after it", "cumulative", 20 * kMs, 150 * kMs + 1, false},
      {"carries over what earlier modules left: 120 ms, not 50", "cumulative", 20 * kMs, 140 * kMs, true},
      {"at the module's own budget", "per_module", 20 * kMs, 70 * kMs, true},
      {"carries nothing over", "per_module", 20 * kMs, 70 * kMs + 1, false},
      {"the paper divides the SLO and decides per module", "", 20 * kMs, 70 * kMs, true},
      {"and carries nothing over", "", 20 * kMs, 70 * kMs + 1, false},
      {"forgives what earlier modules overspent", "per_module", 290 * kMs, 295 * kMs, true}};
  for (const Case& each : cases) {
    SCOPED_TRACE(std::string(each.budget) + ": " + each.what);
    const std::string budget = each.budget;
    start(budget.empty() ? ParamValues() : ParamValues{{"budget", budget}});
    driver_->arrive(each.arrives, 1, 0);
    EXPECT_EQ(driver_->add(each.free, 0), each.served ? kServed : "drop 1 over_budget");
  }
}

TEST_F(ClipperppTest, ADropPastTheDeadlineOfTheRequestIsCalledExpired) {
  start(kCumulative);
  driver_->arrive(20 * kMs, 1, 0);
  driver_->arrive(20 * kMs, 2, kMs);
  EXPECT_EQ(driver_->add(300 * kMs + 1, 0), "drop 1 expired; drop 2 over_budget");
}

TEST_F(ClipperppTest, DropsAtTheHeadDoNotUseUpRoom) {
  start(kCumulative);
  driver_->arrive(0, 1, 0);
  for (VisitId id = 2; id <= 6; ++id) driver_->arrive(100 * kMs, id, 100 * kMs);
  EXPECT_EQ(driver_->add(200 * kMs, 0),
            "drop 1 over_budget; join 0<2; join 0<3; join 0<4; join 0<5; launch 0");
}

TEST_F(ClipperppTest, CheckAtJoinIgnoresTheBatchWait) {
  start(kCumulative);
  driver_->add(0, 0);
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 160 * kMs);
  EXPECT_EQ(driver_->arrive(150 * kMs, 2, 0), "join 0<2") << "over budget when its batch starts, not yet now";
}

TEST_F(ClipperppTest, CheckAtStartUsesTheExpectedStart) {
  start({{"budget", std::string("cumulative")}, {"check_at", std::string("start")}});
  driver_->add(0, 0);
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 160 * kMs);
  EXPECT_EQ(driver_->arrive(kMs, 2, 10 * kMs), "join 0<2") << "starts at 160 ms, exactly its limit";
  EXPECT_EQ(driver_->arrive(kMs, 3, 10 * kMs - 1), "drop 3 over_budget");
}

// d at the planned batch of four is 10 + 4 x 5 = 30 ms, though the visit would be alone in its batch.
TEST_F(ClipperppTest, CheckAtEndCountsTheExecutionAtThePlannedBatchSize) {
  start({{"budget", std::string("cumulative")}, {"check_at", std::string("end")}});
  driver_->add(0, 0);
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 100 * kMs);
  EXPECT_EQ(driver_->arrive(kMs, 2, -20 * kMs), "join 0<2") << "ends at 130 ms, exactly its limit";
  EXPECT_EQ(driver_->arrive(kMs, 3, -20 * kMs - 1), "drop 3 over_budget");
}

TEST_F(ClipperppTest, CheckAtEndTakesTheModulesOwnBudgetFromTheArrival) {
  start({{"check_at", std::string("end")}});
  driver_->add(0, 0);
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 40 * kMs);
  EXPECT_EQ(driver_->arrive(20 * kMs - 1, 2, 0), "drop 2 over_budget");
  EXPECT_EQ(driver_->arrive(20 * kMs, 3, 0), "join 0<3") << "ends at 70 ms, 50 ms after its arrival";
}

// Module 0 has 100 ms. Both visits are within the 150 ms up to module 1.
TEST_F(ClipperppTest, AVisitThatLeftTheModuleBeforeOverBudgetIsDroppedAsItArrives) {
  start({{"budget", std::string("cumulative")}, {"overrun", std::string("dropped")}});
  driver_->add(0, 0);
  EXPECT_EQ(driver_->arrive(100 * kMs + 1, 1, 0), "drop 1 over_budget") << "though the worker is free";
  EXPECT_EQ(driver_->arrive(100 * kMs + 1, 2, 1), "join 0<2; launch 0")
      << "100 ms after its sending, exactly its limit";
  EXPECT_EQ(driver_->arrive(300 * kMs + 1, 3, 0), "drop 3 expired");
}

TEST_F(ClipperppTest, ByDefaultSuchAVisitIsServed) {
  start(kCumulative);
  driver_->add(0, 0);
  EXPECT_EQ(driver_->arrive(100 * kMs + 1, 1, 0), kServed);
}

TEST_F(ClipperppTest, NothingIsOverBudgetAsItArrivesAtTheEntry) {
  set_params(*system_, {{"budget", std::string("cumulative")}, {"overrun", std::string("dropped")}});
  SchedulerDriver entry(system_->make_scheduler(world_.context, 0, 0), world_.context, 0);
  entry.plan(0, world_.plan({4, 4, 4}));
  entry.add(0, 0);
  EXPECT_EQ(entry.arrive(2, 1, 1), kServed) << "sent at 1, by way of a link";
}

TEST_F(ClipperppTest, CommitLateChecksWhenTheWorkerFallsFree) {
  world_.context.serving.commit = Commit::kLate;
  start(kCumulative);
  driver_->add(0, 0);
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 160 * kMs);
  EXPECT_EQ(driver_->arrive(kMs, 2, 9 * kMs), "");
  EXPECT_EQ(driver_->arrive(kMs, 3, 10 * kMs), "");
  EXPECT_EQ(driver_->free(160 * kMs, 0), "drop 2 over_budget; join 0<3; launch 0");
}

TEST_F(ClipperppTest, BudgetsOfADagFollowTheLongestPath) {
  // 0 -> {1, 2} -> 3; to the merge: 40 + max(10, 100) + 30 = 170 ms.
  const TestWorld dag(
      {linear_profile(1, 1, 4), linear_profile(1, 1, 4), linear_profile(1, 1, 4), linear_profile(1, 1, 4)},
      300 * kMs, 4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  Plan plan = dag.plan({4, 4, 4, 4});
  set_params(*system_, kCumulative);
  const TimeNs budgets[] = {40 * kMs, 10 * kMs, 100 * kMs, 30 * kMs};
  for (std::size_t k = 0; k < 4; ++k) plan.modules[k].budget_ns = budgets[k];
  for (const TimeNs late : {0, 1}) {
    SchedulerDriver merge(system_->make_scheduler(dag.context, 0, 3), dag.context, 3);
    merge.plan(0, plan);
    merge.arrive(100 * kMs, 1, 0);
    EXPECT_EQ(merge.add(170 * kMs + late, 0), late == 0 ? kServed : "drop 1 over_budget");
  }
}

TEST_F(ClipperppTest, AimdStartsAtOneAndGrowsByTheStep) {
  start({{"aimd", true}, {"aimd_step", 2.0}});
  for (VisitId id = 1; id <= 9; ++id) driver_->arrive(0, id, 0);
  EXPECT_EQ(driver_->add(0, 0), "join 0<1; launch 0");
  EXPECT_EQ(driver_->started(0, 0, 15 * kMs), "join 0<2");
  driver_->done(15 * kMs, 0, 0, 1);
  EXPECT_EQ(driver_->free(15 * kMs, 0), "join 0<3; join 0<4; launch 0") << "three at a time now";
}

}  // namespace
}  // namespace harness
