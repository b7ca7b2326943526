#include "systems/pard/pard_controller.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <utility>
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

  /// Has a period end with so many arrivals.
  PardState period_at(double rps) {
    report(0, 1, rps, 0, 0, 0);
    return period();
  }

  /// Has module 1 publish its state of a period. Returns L_sub in ms if module 0 publishes because of it,
  /// else 0.
  double hear(double of_period, double queueing_ms, double wait_ms) {
    PardState later;
    later.period = of_period;
    later.queueing_ns = queueing_ms * 1e6;
    later.table.at.fill(static_cast<float>(wait_ms * 1e6));
    std::vector<double> packed;
    later.pack(packed);
    controller_->on_state(now_, 1, packed, out_);
    if (!out_.due()) return 0;
    out_.clear();
    return PardState::unpack(out_.state()).downstream_ns / 1e6;
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

TEST_F(PardControllerTest, UsesTheStatesOfTheExchangeBefore) {
  params_.exchange = StateExchange::kPrevious;
  remake();
  EXPECT_NEAR(period().downstream_ns, 20e6 + 0.1 * 20e6, 0.5e6);
  EXPECT_EQ(hear(1, 5, 3), 0);
  const PardState state = period();
  EXPECT_DOUBLE_EQ(state.downstream_ns, 28e6);
  EXPECT_DOUBLE_EQ(state.wait_ns, 3e6);
}

TEST_F(PardControllerTest, PublishesAgainWhenTheStatesOfThePeriodHaveArrived) {
  report(0, 1, 100, 0, 10, 40e6);
  const PardState first = period();
  EXPECT_NEAR(first.downstream_ns, 20e6 + 0.1 * 20e6, 0.5e6);  // the plan's
  EXPECT_DOUBLE_EQ(hear(1, 5, 3), 5 + 20 + 3);
  const PardState again = PardState::unpack(out_.state());
  EXPECT_EQ(again.period, 1);
  EXPECT_DOUBLE_EQ(again.wait_ns, 3e6);
  EXPECT_EQ(again.queueing_ns, first.queueing_ns);
  EXPECT_EQ(hear(1, 5, 3), 0) << "module 1 has published again";
  EXPECT_DOUBLE_EQ(period().downstream_ns, 28e6);  // until module 1 is heard
  EXPECT_DOUBLE_EQ(hear(2, 7, 4), 31);
}

TEST_F(PardControllerTest, TakesAStateThatComesBeforeItsOwnPeriodEnds) {
  period();
  EXPECT_DOUBLE_EQ(hear(1, 5, 3), 28);
  EXPECT_EQ(hear(2, 7, 4), 0);
  EXPECT_DOUBLE_EQ(period().downstream_ns, 31e6);
  EXPECT_EQ(hear(2, 7, 4), 0);
}

TEST_F(PardControllerTest, TakesAStateThatComesAPeriodLate) {
  period();
  period();
  EXPECT_DOUBLE_EQ(hear(1, 5, 3), 28);
  const PardState third = period();
  EXPECT_DOUBLE_EQ(third.downstream_ns, 28e6);
  EXPECT_EQ(third.period, 3);
  EXPECT_DOUBLE_EQ(hear(2, 7, 4), 31);
}

// 0 -> {1, 2} -> 3. All states of a period are exchanged until nobody has anything to say, in an order that
// changes. Whoever has modules behind it publishes twice, by the q of this very period.
TEST(PardExchange, ComesToRestWithEveryModulesLsubFresh) {
  const PardTestWorld world(std::vector<TimeNs>(4, 10 * kMs), {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  PardParams params;
  params.lambda = 0;
  std::vector<std::unique_ptr<PardController>> controllers;
  for (ModuleId module = 0; module < 4; ++module) {
    controllers.push_back(std::make_unique<PardController>(world.context, module, params));
    controllers.back()->on_plan(0, world.plan);
  }
  Publication out;
  for (int period = 1; period <= 3; ++period) {
    std::deque<std::pair<ModuleId, std::vector<double>>> sent;
    std::vector<int> count(4, 0);
    std::vector<double> downstream_ms(4, 0);
    const auto collect = [&](ModuleId module) {
      if (!out.due()) return;
      sent.emplace_back(module, std::vector<double>(out.state().begin(), out.state().end()));
      out.clear();
      ++count[module];
      downstream_ms[module] = PardState::unpack(sent.back().second).downstream_ns / 1e6;
    };
    for (ModuleId i = 0; i < 4; ++i) {
      const auto module = static_cast<ModuleId>((i * 3 + static_cast<ModuleId>(period)) % 4);
      // One period in the window of q is as good as several: it has all of the weight of its visits.
      const double report[] = {1, 1, 0, 1000, 1000e6 * (1 + module) * period, 0};
      controllers[module]->on_report(0, module, report, out);
      controllers[module]->on_period(0, out);
      collect(module);
    }
    while (!sent.empty()) {
      const auto [from, state] = sent.front();
      sent.pop_front();
      for (ModuleId to = 0; to < 4; ++to) {
        if (to == from) continue;
        controllers[to]->on_state(0, from, state, out);
        collect(to);
      }
    }
    // q of module i: (1 + i) ms x the mean of the periods, weighted 5, 4, 3.
    const double q = period == 1 ? 1 : period == 2 ? (5 * 2 + 4 * 1) / 9.0 : (5 * 3 + 4 * 2 + 3 * 1) / 12.0;
    EXPECT_EQ(count, (std::vector<int>{2, 2, 2, 1})) << period;
    EXPECT_NEAR(downstream_ms[0], 20 + 7 * q, 1e-9);  // by 2: q of 3 and 4
    EXPECT_NEAR(downstream_ms[1], 10 + 4 * q, 1e-9);
    EXPECT_EQ(downstream_ms[3], 0);
  }
}

// Samples are drawn once for the plan and once a period, however often a state comes.
TEST(PardExchange, DrawsSamplesOncePerPeriod) {
  const PardTestWorld world({10 * kMs, 20 * kMs, 30 * kMs}, chain_of(3));
  PardController controller(world.context, 0, {});
  DownstreamEstimate reference(world.context, 0, {});
  controller.on_plan(0, world.plan);
  reference.on_plan(world.plan);
  EXPECT_GT(reference.compute(0).wait_ns, 0);
  Publication out;
  for (int period = 1; period <= 4; ++period) {
    PardState later;
    later.period = period;
    later.table = WaitTable::uniform((5 + period) * kMs);
    std::vector<double> packed;
    later.pack(packed);
    controller.on_period(0, out);
    for (const ModuleId module : std::vector<ModuleId>{1, 2, 1, 2}) {
      reference.on_state(module, later);
      controller.on_state(0, module, packed, out);
    }
    EXPECT_EQ(PardState::unpack(out.state()).wait_ns, reference.compute(period).wait_ns);
  }
}

// A state takes more than a period: all modules still divide by the states of one period, the own one too.
TEST(PardExchange, WclDividesByOnePeriodHoweverLateItsStatesCome) {
  PardTestWorld world({10 * kMs, 10 * kMs}, chain_of(2));
  world.context.slo_ns = 120 * kMs;
  PardParams params;
  params.estimate = EstimateScope::kWcl;
  PardController controller(world.context, 0, params);
  controller.on_plan(0, world.plan);
  Publication out;
  const auto end_period = [&](double worst_ms) {
    const double report[] = {1, 1, 0, 1, 0, worst_ms * 1e6};
    controller.on_report(0, 0, report, out);
    controller.on_period(0, out);
  };
  end_period(20);
  end_period(50);
  PardState other;
  other.period = 1;
  other.worst_ns = 40e6;
  std::vector<double> packed;
  other.pack(packed);
  controller.on_state(0, 1, packed, out);
  EXPECT_EQ(PardState::unpack(out.state()).budget_ns, 40e6);  // 20 of 60
  other.period = 2;
  other.worst_ns = 70e6;
  other.pack(packed);
  controller.on_state(0, 1, packed, out);
  EXPECT_EQ(PardState::unpack(out.state()).budget_ns, 50e6);  // 50 of 120
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
