// The accounting of reports and published states, for a system whose values are known.
#include <gtest/gtest.h>

#include "harness/engine/test_system.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

/// Reports two values when its queue starts.
class ReportingPolicy : public testing::ScriptedPolicy {
 public:
  ReportingPolicy() : ScriptedPolicy({}) {}
  void start(TimeNs, Decisions& out) {
    const double values[] = {1, 2};
    out.report(values);
  }
};

/// Publishes three values once per state period. The first is 10 plus the module's number. The second, the
/// order, is 1 in the second period for all modules but the first, else 0.
class PublishingController final : public Controller {
 public:
  explicit PublishingController(ModuleId module) : module_(module) {}
  void on_plan(TimeNs, const Plan&) override {}
  void on_report(TimeNs, QueueId, std::span<const double>, Publication&) override {}
  void on_period(TimeNs, Publication& out) override {
    ++periods_;
    const double values[] = {10.0 + module_, module_ > 0 && periods_ == 2 ? 1.0 : 0.0, 3};
    out.publish(values);
  }
  void on_state(TimeNs, ModuleId, std::span<const double>, Publication&) override {}

 private:
  ModuleId module_;
  int periods_ = 0;
};

class PublishingSystem final : public System {
 public:
  explicit PublishingSystem(std::vector<const char*> names) : names_(std::move(names)) {}
  void list(ParamList&) override {}
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<ReportingPolicy>>(context, module);
  }
  std::unique_ptr<Controller> make_controller(const ServingContext&, ModuleId module) override {
    return std::make_unique<PublishingController>(module);
  }
  std::span<const char* const> state_names() const override { return names_; }

 private:
  std::vector<const char*> names_;
};

std::unique_ptr<System> publishing(std::vector<const char*> names) {
  return std::make_unique<PublishingSystem>(std::move(names));
}

/// Returns a cell of three modules with two workers, each with its own queue; the only request ends
/// before 2.6 s, so that two state periods end in the run.
RunSpec two_periods(std::unique_ptr<System> system) {
  RunSpec spec = testing::make_spec("naive", testing::chain(3),
                                    std::vector<Profile>(3, testing::linear_profile("m", 0, 10, 2)),
                                    {{2, 2}, {2, 2}, {2, 2}}, ms_to_ns(100), {ms_to_ns(2500)}, 3 * kNsPerS);
  spec.system = std::move(system);
  return spec;
}

TEST(States, EveryValueCountsForEveryReceiver) {
  const RunRecord record = simulate(two_periods(publishing({})), nullptr);
  // Six reports of two values to one controller each. Three modules publish three values twice, each to two
  // queues and two other controllers.
  EXPECT_EQ(record.exchanged_bytes, 8u * (6 * 2 + 3 * 2 * 3 * (2 + 2)));
}

TEST(States, NamedValuesAreKeptOncePerPublicationWhenWanted) {
  RunSpec spec = two_periods(publishing({"number", "order"}));
  spec.record_states = true;
  spec.serving.state_period_ms = 1000;
  spec.serving.state_delay_ms = 0;
  const StateTable states = simulate(spec, nullptr).states;
  EXPECT_EQ(states.names, (std::vector<std::string>{"number", "order"}));
  ASSERT_EQ(states.rows.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(states.rows[i].module, i % 3);
    EXPECT_EQ(states.rows[i].at_ns / kNsPerMs, i < 3 ? 1000 : 2000);
  }
  EXPECT_EQ(states.values, (std::vector<double>{10, 0, 11, 0, 12, 0, 10, 0, 11, 1, 12, 1}));
}

TEST(States, ChangesOfTheOrderAreCountedWithoutTheRows) {
  const RunRecord record = simulate(two_periods(publishing({"number", "order"})), nullptr);
  EXPECT_TRUE(record.states.names.empty() && record.states.rows.empty());
  EXPECT_EQ(record.order_changes, 2);
  EXPECT_EQ(simulate(two_periods(publishing({"order"})), nullptr).order_changes, 0);  // never changes
  EXPECT_EQ(simulate(two_periods(publishing({"number"})), nullptr).order_changes, -1);
}

TEST(States, ASystemWithoutControllersExchangesNothing) {
  RunSpec spec = two_periods(std::make_unique<testing::ScriptedSystem>(testing::DropList{}));
  const RunRecord record = simulate(spec, nullptr);
  EXPECT_EQ(record.exchanged_bytes, 0u);
  EXPECT_EQ(record.order_changes, -1);
}

TEST(States, DepthsAndEndsOfADiamondStandInTheRecord) {
  RunSpec spec = testing::make_spec("naive", testing::diamond(),
                                    std::vector<Profile>(4, testing::linear_profile("m", 0, 10, 2)),
                                    {{2, 1}, {2, 1}, {2, 1}, {2, 1}}, ms_to_ns(100), {ms_to_ns(1)}, kNsPerS);
  const RunRecord record = simulate(spec, nullptr);
  const int depths[] = {1, 2, 2, 3};
  for (int module = 0; module < 4; ++module) {
    const ModuleTotals& totals = record.modules[static_cast<std::size_t>(module)];
    EXPECT_EQ(totals.depth, depths[module]) << module;
    EXPECT_EQ(totals.last, module == 3) << module;
  }
}

}  // namespace
}  // namespace harness
