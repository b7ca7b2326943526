// Other systems on InferLine's plans, and early dropping on top of its queue.
#include "harness/serving/composed_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/routes.h"
#include "harness/serving/sizing_planner.h"
#include "harness/serving/test_world.h"
#include "harness/sim/test_run.h"
#include "systems/inferline/test_inferline_world.h"

namespace harness {
namespace {

using testing::Ran;

/// Makes plans for other systems, as the shared planner does.
class AsSharedPlanner final : public System {
 public:
  AsSharedPlanner(PlannerParams params, std::vector<ModuleOverride> overrides)
      : params_(params), overrides_(std::move(overrides)) {}
  void list(ParamList&) override {}
  SystemTraits traits() const override { return {.plans_for_others = true}; }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return make_sizing_planner(context, params_, overrides_);
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext&, QueueId, GroupId) override {
    return nullptr;
  }

 private:
  PlannerParams params_;
  std::vector<ModuleOverride> overrides_;
};

std::unique_ptr<System> on_inferline(const char* name) {
  return composed_system(find_system(name)->make(), find_system("inferline")->make());
}

// Budgets included: Clipper++ and Nexus drop by them.
TEST(ComposedSystem, OnTheSharedPlannersPlansASystemIsAsWithoutAPlanner) {
  for (const char* name : {"naive", "clipperpp", "nexus", "pard"}) {
    RandomStream random(1, name);
    std::uint64_t dropped = 0;
    for (int cell = 0; cell < 20; ++cell) {
      RunSpec spec =
          testing::next_with_a_plan([&] { return testing::loaded_cell(random, *find_system(name)); });
      const RunRecord alone = simulate(spec, nullptr);
      spec.system = composed_system(std::move(spec.system),
                                    std::make_unique<AsSharedPlanner>(spec.planner, spec.module_overrides));
      EXPECT_EQ(simulate(spec, nullptr).fingerprint, alone.fingerprint) << name << " " << cell;
      dropped += alone.dropped;
    }
    EXPECT_EQ(dropped > 1000, std::string(name) != "naive") << name << " " << dropped;
  }
}

/// Returns a random pipeline on three kinds of devices, with 1.5 times the sample's rate, served in
/// InferLine's own way. Throws InputError if no plan meets the SLO.
RunSpec random_kinds_cell(RandomStream& random) {
  const auto world = testing::random_inferline_world(random);
  RunSpec spec;
  spec.pipeline = world->pipeline;
  for (const Profile* profile : world->context.profiles) spec.profiles.push_back(*profile);
  spec.devices = world->devices;
  for (const ClusterDevice& device : spec.devices) spec.workers += device.count;
  spec.slo_ns = world->context.slo_ns;
  spec.seed = random.bits();
  spec.serving.queue = QueueScope::kModule;
  spec.serving.commit = Commit::kLate;
  spec.world.cold_start_ms = 500;
  spec.planning = std::make_shared<const PlanningTimes>(world->planning);
  const TimeNs length_ns = world->planning.sample_ns;
  const double rate_rps = 1.5 * static_cast<double>(world->planning.sample.size()) / ns_to_s(length_ns);
  spec.arrivals = std::make_unique<testing::FixedArrivals>(
      testing::poisson_times(rate_rps, length_ns, random.bits()), length_ns);
  spec.system = find_system("inferline")->make();
  settle_devices(spec, initial_plan(spec, rate_rps));
  return spec;
}

// Both serve first in, first out, and drop nothing.
TEST(ComposedSystem, NaiveOnInferLinesPlansIsInferLine) {
  RandomStream random(1, "naive on inferline");
  std::uint64_t added = 0;
  for (int cell = 0; cell < 20; ++cell) {
    RunSpec spec = testing::next_with_a_plan([&] { return random_kinds_cell(random); });
    const RunRecord own = simulate(spec, nullptr);
    spec.system = on_inferline("naive");
    const RunRecord composed = simulate(spec, nullptr);
    EXPECT_EQ(composed.fingerprint, own.fingerprint) << cell;
    EXPECT_EQ(composed.workers.size(), own.workers.size());
    for (const WorkerTotals& worker : own.workers) added += worker.added_ns > 0 && worker.added_ns < kNever;
  }
  EXPECT_GT(added, 20U) << "the tuner acts";
}

/// Returns, by module, the execution time of the plan on the kind that it names.
std::vector<double> planned_exec_ns(const RunSpec& spec, const RunRecord& record) {
  std::vector<double> exec_ns(spec.pipeline.modules.size());
  for (const PlanRow& plan : record.plans) exec_ns[plan.module] = static_cast<double>(plan.exec_ns);
  return exec_ns;
}

// PARD's least estimate goes by the kinds that InferLine has chosen: execution here and on the longest path
// after it, within the deadline.
TEST(ComposedSystem, PardEstimatesWithTheKindsOfThePlan) {
  RandomStream random(1, "pard on inferline");
  std::uint64_t dropped = 0;
  for (int cell = 0; cell < 20; ++cell) {
    RunSpec spec = testing::next_with_a_plan([&] { return random_kinds_cell(random); });
    spec.system = on_inferline("pard");
    const Ran ran(spec);
    const std::vector<double> exec_ns = planned_exec_ns(spec, ran.record);
    const std::vector<double> after_ns = longest_after(spec.pipeline, exec_ns);
    for (ModuleId m = 0; m < exec_ns.size(); ++m)
      EXPECT_EQ(static_cast<TimeNs>(exec_ns[m]), spec.profiles[m].latency(ran.record.plans[m].max_batch));
    for (const VisitRow& row : ran.rows.visit_rows) {
      if (row.outcome != VisitOutcome::kDone) continue;
      const double end_ns = static_cast<double>(row.started_ns) + exec_ns[row.module] + after_ns[row.module];
      ASSERT_LE(end_ns, static_cast<double>(ran.rows.request_rows[row.request].sent_ns + spec.slo_ns));
    }
    dropped += ran.record.dropped;
  }
  EXPECT_GT(dropped, 1000U);
}

/// Two modules whose planned batches take 20 and 30 ms; SLO 100 ms.
class EarlyDroppingTest : public ::testing::Test {
 protected:
  EarlyDroppingTest() {
    world_.context.serving.commit = Commit::kLate;
    ParamList params;
    system_->list(params);
    EXPECT_TRUE(params.find("early_dropping")->set(std::string("estimated_late")));
  }
  SchedulerDriver driver(ModuleId module) {
    SchedulerDriver made(system_->make_scheduler(world_.context, module, module), world_.context, module);
    made.plan(0, world_.plan({2, 1}));
    return made;
  }

  TestWorld world_{{profile_of_ms({10, 20}), profile_of_ms({30})}, 100 * kMs, 2};
  std::unique_ptr<System> system_ = find_system("inferline")->make();
};

// From the start of the first module's batch on, 50 ms are left to do, whatever its size.
TEST_F(EarlyDroppingTest, DropsWhatCannotEndInTimeWhenItsTurnComes) {
  SchedulerDriver first = driver(0);
  for (const VisitId id : {1, 2, 3, 4}) EXPECT_EQ(first.arrive(0, id, (id - 1) * kMs), "");
  EXPECT_EQ(first.add(51 * kMs, 0), "drop 1 estimated_late; join 0<2; join 0<3; launch 0");
  EXPECT_EQ(first.started(51 * kMs, 0, 71 * kMs, 2), "");
  EXPECT_EQ(first.free(200 * kMs, 0), "drop 4 expired");
  SchedulerDriver last = driver(1);
  EXPECT_EQ(last.arrive(60 * kMs, 1, 0), "");
  EXPECT_EQ(last.arrive(60 * kMs, 2, 1), "");
  EXPECT_EQ(last.add(70 * kMs, 0), "join 0<1; launch 0");
  EXPECT_EQ(last.started(70 * kMs, 0, 100 * kMs), "");
  EXPECT_EQ(last.free(100 * kMs, 0), "drop 2 estimated_late");
}

TEST_F(EarlyDroppingTest, AQueryThatMayEndEarlyIsJudgedByTheShortestRoute) {
  Pipeline pipeline = world_.pipeline();
  ASSERT_EQ(choose_each(pipeline, "m0", {"m1"}, {0.5}), "");
  world_.context.pipeline = &pipeline;
  SchedulerDriver first = driver(0);
  EXPECT_EQ(first.arrive(0, 1, 0), "");
  EXPECT_EQ(first.add(80 * kMs, 0), "join 0<1; launch 0");
}

// While the plan stays the same, a query is served exactly if what is planned to come fits before its
// deadline.
TEST(EarlyDropping, ServesWhatCanEndInTimeAndNothingElse) {
  RandomStream random(1, "early dropping");
  std::uint64_t dropped = 0;
  for (int cell = 0; cell < 20; ++cell) {
    RunSpec spec = testing::next_with_a_plan([&] { return random_kinds_cell(random); });
    testing::set_param(spec, "tuner", std::string("none"));
    const TimeNs slo_ns = spec.slo_ns;
    testing::set_param(spec, "early_dropping", std::string("estimated_late"));
    const Ran ran(spec);
    const std::vector<double> exec_ns = planned_exec_ns(spec, ran.record);
    const std::vector<double> after_ns =
        least_after(spec.pipeline, Routes(spec.pipeline, spec.seed), exec_ns);
    for (const VisitRow& row : ran.rows.visit_rows) {
      const bool done = row.outcome == VisitOutcome::kDone;
      if (!done && (row.outcome != VisitOutcome::kDropped || row.reason == DropReason::kNoWorker)) continue;
      const TimeNs start_ns = done ? row.started_ns : row.ended_ns;
      const TimeNs end_ns = start_ns + static_cast<TimeNs>(exec_ns[row.module] + after_ns[row.module]);
      ASSERT_EQ(end_ns <= ran.rows.request_rows[row.request].sent_ns + slo_ns, done) << row.request;
    }
    dropped += ran.record.dropped;
  }
  EXPECT_GT(dropped, 1000U);
}

// Without optional branches it makes PARD's decisions, if PARD's estimate is the executions alone and its
// order is the order of arrival.
TEST(EarlyDropping, IsPardsWithExecutionsAloneInOrderOfArrival) {
  RandomStream random(1, "early dropping of pard");
  std::uint64_t dropped = 0;
  for (int cell = 0; cell < 20; ++cell) {
    RunSpec spec;
    do {
      spec = testing::next_with_a_plan([&] { return random_kinds_cell(random); });
    } while (Routes(spec.pipeline, spec.seed).dynamic());
    testing::set_param(spec, "early_dropping", std::string("estimated_late"));
    const RunRecord own = simulate(spec, nullptr);
    auto pard = find_system("pard")->make();
    set_params(*pard, {{"estimate", std::string("sf")}, {"order", std::string("fcfs")}});
    spec.system = composed_system(std::move(pard), find_system("inferline")->make());
    const RunRecord composed = simulate(spec, nullptr);
    EXPECT_EQ(composed.in_time, own.in_time);
    EXPECT_EQ(composed.late, own.late);
    EXPECT_EQ(composed.dropped, own.dropped);
    EXPECT_EQ(composed.gpu_ns, own.gpu_ns);
    dropped += own.dropped;
  }
  EXPECT_GT(dropped, 1000U);
}

}  // namespace
}  // namespace harness
