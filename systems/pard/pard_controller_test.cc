#include "systems/pard/pard_controller.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "harness/core/test_time.h"
#include "systems/pard/pard_test_world.h"

namespace harness {
namespace {

/// Two modules in a chain: 10 and 20 ms, one worker, batch 4: 400 and 200 requests/s.
class PardControllerTest : public ::testing::Test {
 protected:
  PardControllerTest() : world_({10 * kMs, 20 * kMs}, chain_of(2)) { remake(); }

  void remake() {
    controller_ = std::make_unique<PardController>(world_.context, 0, params_);
    controller_->on_plan(0, world_.plan);
  }

  void report(QueueId queue, double workers, double arrived, double dropped, double started,
              double queueing_ns, std::vector<double> waits = {}, double worst_ns = 0) {
    std::vector<double> values = {workers, arrived, dropped, started, queueing_ns, worst_ns};
    values.insert(values.end(), waits.begin(), waits.end());
    controller_->on_report(0, queue, values, out_);
    EXPECT_FALSE(out_.due());
  }

  PardState period() {
    now_ += kNsPerS;
    controller_->on_period(now_, out_);
    EXPECT_TRUE(out_.due());
    const PardState state = PardState::unpack(out_.state());
    out_.clear();
    return state;
  }

  /// One period with so many arrivals.
  PardState period_at(double rps) {
    report(0, 1, rps, 0, 0, 0);
    return period();
  }

  PardTestWorld world_;
  PardParams params_;
  std::unique_ptr<PardController> controller_;
  Publication out_;
  TimeNs now_ = 0;
};

TEST_F(PardControllerTest, PublishesWhatItsQueuesReport) {
  report(7, 1, 100, 10, 80, 80 * 2e6);
  report(9, 1, 60, 0, 20, 20 * 7e6);
  const PardState state = period();
  EXPECT_DOUBLE_EQ(state.queueing_ns, (80 * 2e6 + 20 * 7e6) / 100);
  EXPECT_EQ(state.exec_ns, 10e6);
  EXPECT_EQ(state.batch, 4);
  EXPECT_DOUBLE_EQ(state.input_rps, 160);
  EXPECT_DOUBLE_EQ(state.throughput_rps, 800);
  EXPECT_DOUBLE_EQ(state.drop_rate, 10.0 / 160);
  EXPECT_DOUBLE_EQ(state.load, 0.2);
  EXPECT_EQ(state.order, BudgetOrder::kLow);
}

TEST_F(PardControllerTest, StartsEachPeriodAnew) {
  report(0, 1, 100, 50, 10, 1e6);
  period();
  report(0, 1, 30, 0, 10, 1e6);
  const PardState state = period();
  EXPECT_DOUBLE_EQ(state.input_rps, 30);
  EXPECT_EQ(state.drop_rate, 0);
}

TEST_F(PardControllerTest, CountsRatesPerSecond) {
  world_.context.serving.state_period_ms = 250;
  remake();
  report(0, 1, 100, 0, 0, 0);
  EXPECT_DOUBLE_EQ(period().input_rps, 400);
}

TEST_F(PardControllerTest, AveragesQueueingOverTheWindow) {
  params_.queueing_window_s = 2;
  remake();
  report(0, 1, 1, 0, 1, 3e6);
  EXPECT_DOUBLE_EQ(period().queueing_ns, 3e6);
  report(0, 1, 1, 0, 1, 9e6);
  EXPECT_DOUBLE_EQ(period().queueing_ns, 7e6);  // (1 x 3 + 2 x 9) / 3
  report(0, 1, 1, 0, 1, 0);
  EXPECT_DOUBLE_EQ(period().queueing_ns, 3e6);  // (1 x 9 + 2 x 0) / 3
}

TEST_F(PardControllerTest, CountsTheWorkersThatServe) {
  world_.plan.modules[0].workers = 3;
  remake();
  EXPECT_DOUBLE_EQ(period().throughput_rps, 1200);  // nobody has reported: the plan's
  report(0, 1, 0, 0, 0, 0);
  EXPECT_DOUBLE_EQ(period().throughput_rps, 400);  // two are still starting
  report(0, 1, 0, 0, 0, 0);
  report(1, 2, 0, 0, 0, 0);
  EXPECT_DOUBLE_EQ(period().throughput_rps, 1200);
  for (int i = 0; i < 2; ++i) {
    report(0, 1, 0, 0, 0, 0);
    period();
  }
  report(0, 1, 0, 0, 0, 0);
  EXPECT_DOUBLE_EQ(period().throughput_rps, 400);  // queue 1 is gone
}

TEST_F(PardControllerTest, ChangesOrderBeyondTheBandOnly) {
  params_.rate_window_s = 2;
  remake();
  EXPECT_EQ(period_at(400).order, BudgetOrder::kLow);  // load 1, no band yet
  PardState state = period_at(440);                    // T_s 420: eps = 20 / 840, load 1.1
  EXPECT_DOUBLE_EQ(state.band, 20.0 / 840);
  EXPECT_EQ(state.order, BudgetOrder::kHigh);
  state = period_at(396);  // T_s 418: eps = (20 + 22) / 836 > 0.05, load 0.99
  EXPECT_DOUBLE_EQ(state.band, 42.0 / 836);
  EXPECT_EQ(state.order, BudgetOrder::kHigh);
  state = period_at(384);  // T_s 390: eps = (22 + 6) / 780 = 0.036, load 0.96
  EXPECT_EQ(state.order, BudgetOrder::kLow);
  state = period_at(404);  // load 1.01, eps = (6 + 10) / 788 = 0.020
  EXPECT_EQ(state.order, BudgetOrder::kLow);
}

TEST_F(PardControllerTest, ChangesAtOnceWhenInstant) {
  params_.order = PardOrder::kInstant;
  remake();
  EXPECT_EQ(period_at(200).order, BudgetOrder::kLow);
  const PardState state = period_at(401);
  EXPECT_GT(state.band, state.load - 1);
  EXPECT_EQ(state.order, BudgetOrder::kHigh);
  EXPECT_EQ(period_at(400).order, BudgetOrder::kHigh);
  EXPECT_EQ(period_at(399).order, BudgetOrder::kLow);
}

TEST_F(PardControllerTest, PublishesAFixedOrderWhateverTheLoad) {
  for (const PardOrder rule : {PardOrder::kHbf, PardOrder::kLbf}) {
    params_.order = rule;
    remake();
    const BudgetOrder fixed = rule == PardOrder::kHbf ? BudgetOrder::kHigh : BudgetOrder::kLow;
    for (const double arrived : {200, 800, 200}) EXPECT_EQ(period_at(arrived).order, fixed);
  }
}

TEST_F(PardControllerTest, UsesTheStatesOfLaterModules) {
  EXPECT_NEAR(period().downstream_ns, 20e6 + 0.1 * 20e6, 0.5e6);
  PardState later;
  later.queueing_ns = 5e6;
  later.exec_ns = 20e6;
  later.table.at.fill(3e6F);
  std::vector<double> packed;
  later.pack(packed);
  controller_->on_state(0, 1, packed, out_);
  EXPECT_FALSE(out_.due());
  const PardState state = period();
  EXPECT_DOUBLE_EQ(state.downstream_ns, 28e6);
  EXPECT_DOUBLE_EQ(state.wait_ns, 3e6);
}

TEST_F(PardControllerTest, PublishesTheWaitsItObserved) {
  EXPECT_EQ(period().table.at, WaitTable::uniform(10 * kMs).at);
  params_.wait_window = 4;
  remake();
  report(0, 1, 4, 0, 4, 0, {9e6, 9e6, 9e6, 9e6});
  report(1, 1, 4, 0, 4, 0, {0, 0, 0, 0});
  const PardState state = period();
  EXPECT_EQ(state.waits, 4);
  EXPECT_EQ(state.table.at.back(), 0);
}

}  // namespace
}  // namespace harness
