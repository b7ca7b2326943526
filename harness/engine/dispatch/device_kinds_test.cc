// Clusters of several kinds of devices with prices: the profiles that count, the workers and their cost.
#include <gtest/gtest.h>

#include <vector>

#include "harness/core/input_error.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/engine/test_system.h"
#include "harness/record/run/worker_metrics.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::linear_profile;
using testing::RowKeeper;

/// The numbers of workers by module, from a time on.
struct Step {
  TimeNs at_ns = 0;
  std::vector<int> workers;
};

/// Plans batches of one on the devices given.
class StepPlanner final : public Planner {
 public:
  StepPlanner(const ServingContext& context, std::vector<std::uint16_t> devices, std::vector<Step> steps)
      : context_(context), devices_(std::move(devices)), steps_(std::move(steps)) {}
  Plan plan(TimeNs now, const LoadStatistics&, const Plan&) override {
    const Step* step = &steps_.front();
    for (const Step& each : steps_) {
      if (each.at_ns <= now) step = &each;
    }
    Plan plan;
    for (ModuleId m = 0; m < devices_.size(); ++m) {
      ModulePlan& module = plan.modules.emplace_back();
      module.device = devices_[m];
      module.workers = step->workers[m];
      module.exec_ns = context_.profile(m, devices_[m]).latency(1);
    }
    return plan;
  }

 private:
  const ServingContext& context_;
  std::vector<std::uint16_t> devices_;
  std::vector<Step> steps_;
};

class KindSystem final : public System {
 public:
  KindSystem(std::vector<std::uint16_t> devices, std::vector<Step> steps)
      : devices_(std::move(devices)), steps_(std::move(steps)) {}
  void list(ParamList&) override {}
  SystemTraits traits() const override { return {.plans_devices = true}; }
  TimeNs replan_period_ns(const ServingContext&) const override { return steps_.size() > 1 ? kNsPerS : 0; }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return std::make_unique<StepPlanner>(context, devices_, steps_);
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                            GroupId group) override {
    return fifo_.make_scheduler(context, queue, group);
  }

 private:
  std::vector<std::uint16_t> devices_;
  std::vector<Step> steps_;
  testing::ScriptedSystem fifo_{{}};
};

constexpr double kCpuPrice = 0.1;
constexpr double kGpuPrice = 2;

/// Returns a cell with m0 -> m1, which take 100 and 200 ms on a cpu, of which there are three. On a gpu, of
/// which there are two, m1 takes 10 ms and m0 does not run. A request comes every second for ten seconds.
RunSpec kinds_spec(std::vector<std::uint16_t> devices, std::vector<Step> steps) {
  std::vector<TimeNs> times;
  for (int i = 0; i < 10; ++i) times.push_back(i * kNsPerS);
  RunSpec spec = testing::make_spec("naive", testing::chain(2),
                                    {linear_profile("a", 0, 100, 1), linear_profile("b", 0, 200, 1)},
                                    {{1, 1}, {1, 1}}, 100 * kNsPerS, std::move(times), 10 * kNsPerS);
  spec.devices = {{"cpu", 3, kCpuPrice, {spec.profiles[0], spec.profiles[1]}},
                  {"gpu", 2, kGpuPrice, {std::nullopt, linear_profile("b", 0, 10, 1)}}};
  spec.workers = 5;
  spec.system = std::make_unique<KindSystem>(std::move(devices), std::move(steps));
  return spec;
}

RunRecord run(RunSpec& spec, RowSink* rows = nullptr) {
  settle_devices(spec, initial_plan(spec, 1));
  return simulate(spec, rows);
}

TEST(DeviceKinds, AModuleTakesAsLongAsOnItsKind) {
  for (const bool on_gpu : {false, true}) {
    RunSpec spec = kinds_spec({0, on_gpu ? std::uint16_t{1} : std::uint16_t{0}}, {{0, {2, 1}}});
    RowKeeper rows;
    const RunRecord record = run(spec, &rows);
    ASSERT_EQ(rows.request_rows.size(), 10u);
    for (const RequestRow& row : rows.request_rows)
      EXPECT_EQ(row.end_ns - row.sent_ns, ms_to_ns(on_gpu ? 110 : 300));
    ASSERT_EQ(record.workers.size(), 3u);
    EXPECT_EQ(record.workers[0].device, 0);
    EXPECT_EQ(record.workers[2].device, on_gpu ? 1 : 0);
    EXPECT_EQ(record.workers[2].usd_per_h, on_gpu ? kGpuPrice : kCpuPrice);
    ASSERT_EQ(record.plans.size(), 2u);
    EXPECT_EQ(record.plans[1].device, record.workers[2].device);
    EXPECT_EQ(record.plans[1].usd_per_h, record.workers[2].usd_per_h);
    const double per_h = on_gpu ? 2 * kCpuPrice + kGpuPrice : 3 * kCpuPrice;
    EXPECT_NEAR(cost_usd(record), per_h * 10 / 3600, 1e-12);
  }
}

// There are two workers from 0 on. At 4 s a plan adds a third, which is paid for while it loads for half a
// second; at 7 s it goes.
TEST(DeviceKinds, AWorkerIsPaidFromItsActivationToItsEnd) {
  RunSpec spec = kinds_spec({0, 1}, {{0, {1, 1}}, {4 * kNsPerS, {2, 1}}, {7 * kNsPerS, {1, 1}}});
  spec.world.cold_start_ms = 500;
  const RunRecord record = run(spec);
  ASSERT_EQ(record.workers.size(), 3u);
  EXPECT_EQ(record.workers[2].added_ns, 4 * kNsPerS);
  EXPECT_EQ(record.workers[2].ready_ns, 4 * kNsPerS + ms_to_ns(500));
  EXPECT_EQ(record.workers[2].removed_ns, 7 * kNsPerS);
  EXPECT_NEAR(cost_usd(record), ((kCpuPrice + kGpuPrice) * 10 + kCpuPrice * 3) / 3600, 1e-12);
}

TEST(DeviceKinds, ReplicasOfAKindStayWithinItsCount) {
  RunSpec spec = kinds_spec({0, 0}, {{0, {1, 1}}, {2 * kNsPerS, {4, 1}}});
  const RunRecord record = run(spec);
  EXPECT_EQ(record.workers.size(), 3u) << "three cpus; the gpus stay free";
  for (const WorkerTotals& worker : record.workers) EXPECT_EQ(worker.device, 0);
}

// A gpu stops: its worker is lost, and comes back at a place of its kind.
TEST(DeviceKinds, AFaultConcernsThePlacesOfAKind) {
  RunSpec spec = kinds_spec({0, 1}, {{0, {1, 1}}});
  spec.faults = {testing::fault_of(FaultKind::kStop, 3500, 2000, 3)};  // after the three cpus
  const RunRecord record = run(spec);
  ASSERT_EQ(record.workers.size(), 3u);
  EXPECT_EQ(record.workers[1].removed_ns, ms_to_ns(3500));
  EXPECT_EQ(record.workers[2].device, 1);
  EXPECT_EQ(record.workers[2].added_ns, ms_to_ns(5500));
  EXPECT_NEAR(cost_usd(record), (kCpuPrice * 10 + kGpuPrice * 8) / 3600, 1e-12);
}

TEST(DeviceKinds, APlanThatNeedsMoreThanThereIsIsRefused) {
  RunSpec spec = kinds_spec({0, 1}, {{0, {1, 3}}});
  try {
    settle_devices(spec, initial_plan(spec, 1));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the plan needs 3 of the devices 'gpu', the cluster has 2");
  }
}

TEST(DeviceKinds, WithoutOneOfThePricesThereIsNoCost) {
  for (const std::size_t kind : {0, 1}) {
    RunSpec spec = kinds_spec({0, 1}, {{0, {1, 1}}});
    spec.devices[kind].usd_per_h = 0;
    EXPECT_TRUE(std::isnan(cost_usd(run(spec))));
  }
}

}  // namespace
}  // namespace harness
