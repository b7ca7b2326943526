// Laws of every cell, over random cells of every kind. A new mechanism adds a kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/routes.h"
#include "harness/engine/bounds/fluid_bound.h"
#include "harness/engine/bounds/offline_schedule.h"
#include "harness/serving/composed_system.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_groups.h"
#include "harness/sim/test_measured_part.h"
#include "harness/sim/test_preempting.h"
#include "harness/sim/test_random_cells.h"
#include "harness/sim/test_run.h"
#include "harness/sim/test_scheduler_cost.h"
#include "harness/sim/test_tasks.h"
#include "harness/sim/test_tree_laws.h"
#include "systems/test_system_cells.h"

namespace harness {
namespace {

using testing::Ran;
using testing::Tally;

/// Expects the rows of requests to add up to the record. The work of preempted batches belongs to no request.
void expect_rows_add_up(const RunSpec& spec, const Ran& ran) {
  const RunRecord& record = ran.record;
  ASSERT_EQ(record.sent, record.in_time + record.late + record.dropped);
  ASSERT_EQ(record.sent, ran.rows.request_rows.size());
  ASSERT_EQ(record.unfinished, 0U);
  TimeNs gpu_ns = 0;
  TimeNs invalid_ns = 0;
  std::vector<std::uint64_t> by_reason(kDropReasons, 0);
  for (const RequestRow& row : ran.rows.request_rows) {
    gpu_ns += row.gpu_ns;
    invalid_ns += row.outcome == Outcome::kInTime ? 0 : row.gpu_ns;
    if (row.outcome == Outcome::kDropped) ++by_reason[static_cast<std::size_t>(row.reason)];
  }
  Tally counted;
  testing::add(record, counted);
  ASSERT_EQ(gpu_ns == record.gpu_ns, counted["preempted"] == 0);
  ASSERT_EQ(invalid_ns + (record.gpu_ns - gpu_ns), record.gpu_invalid_ns);
  if (spec.answers == Answers::kPartial) return;  // a request loses some visits and is answered
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    const char* const reason = name_of(static_cast<DropReason>(i));
    ASSERT_EQ(by_reason[i], counted[reason]) << reason;
  }
}

/// Expects each request to visit exactly the modules of its route if it was served, and only some of them if
/// not.
void expect_visits_follow_the_routes(const RunSpec& spec, const testing::RowKeeper& rows) {
  const Routes routes(spec.pipeline, spec.seed);
  std::vector<std::uint64_t> done(rows.request_rows.size(), 0);
  for (const VisitRow& row : rows.visit_rows) {
    ASSERT_TRUE(routes[routes.of(row.request)].visits(row.module)) << "request " << row.request;
    if (row.outcome != VisitOutcome::kDone) continue;
    const std::uint64_t bit = std::uint64_t{1} << row.module;
    ASSERT_EQ(done[row.request] & bit, 0u) << "a module is visited once";
    done[row.request] |= bit;
  }
  for (const RequestRow& row : rows.request_rows) {
    if (row.outcome == Outcome::kDropped) continue;
    const Route& route = routes[routes.of(row.request)];
    for (ModuleId m = 0; m < spec.pipeline.modules.size(); ++m) {
      ASSERT_EQ((done[row.request] >> m & 1u) != 0, route.visits(m)) << "request " << row.request;
    }
  }
}

/// Checks a run with schedulers that take time, whose queues may be bounded.
void expect_cost_is_charged(const RunSpec& spec, const Ran& ran) {
  const RunRecord& record = ran.record;
  ASSERT_GT(record.scheduler_busy_ns, 0);
  ASSERT_LE(record.scheduler_busy_ns, record.duration_ns);
  const TimeNs cost_ns = ms_to_ns(spec.world.scheduler_cost_us * 1e-3);
  // If queues close, a refused visit may come from a closed queue.
  const bool queues_stay = spec.faults.empty() &&
                           std::ranges::all_of(record.plans, [](const auto& row) { return row.at_ns == 0; });
  for (const VisitRow& row : ran.rows.visit_rows) {
    if (row.outcome == VisitOutcome::kDropped && row.reason == DropReason::kSchedulerQueueFull) {
      ASSERT_GE(row.ended_ns, row.arrived_ns);
      if (queues_stay) {
        ASSERT_EQ(row.ended_ns, row.arrived_ns) << "not on arrival";
      }
    }
    if (row.started_ns == 0) continue;
    ASSERT_GE(row.joined_ns, row.arrived_ns + cost_ns) << "nothing joins before it has been handled";
  }
}

/// Returns the largest number of workers that have a GPU at once.
int most_at_once(const RunRecord& record) {
  std::vector<std::pair<TimeNs, int>> changes;
  for (const WorkerTotals& worker : record.workers) {
    if (worker.ready_ns == kNever || worker.ready_ns == worker.removed_ns) continue;
    changes.emplace_back(worker.ready_ns, +1);
    changes.emplace_back(worker.removed_ns, -1);
  }
  std::sort(changes.begin(), changes.end());
  int now = 0;
  int most = 0;
  for (const auto& [at_ns, change] : changes) most = std::max(most, now += change);
  return most;
}

/// Expects the laws of every run. The accounting closes, or simulate() would have stopped.
void expect_laws(const RunSpec& spec, const Ran& ran, Tally& tally) {
  expect_rows_add_up(spec, ran);
  const std::uint64_t bound = fluid_bound(spec, ran.record);
  EXPECT_LE(ran.record.in_time, bound);
  EXPECT_LE(offline_schedule(spec, ran.record).value_or(0), bound);
  EXPECT_LE(most_at_once(ran.record), spec.workers);
  if (spec.pipeline.has_tasks()) {
    testing::expect_tree_laws(spec, ran, tally);
  } else if (spec.streams.empty()) {
    expect_visits_follow_the_routes(spec, ran.rows);
  }
  if (spec.world.scheduler_cost == SchedulerCost::kFixed) expect_cost_is_charged(spec, ran);
}

/// For systems that start a visit only if it ends in time by the profile: only jitter, slow GPUs and slow
/// links can make it late.
void expect_nothing_late(const RunSpec& spec, const Ran& ran) {
  if (spec.world.jitter == Jitter::kOff && spec.faults.empty()) {
    EXPECT_EQ(ran.record.late, 0U);
  }
}

/// Expects the rule of Nexus and PARD for runs without jitter, in which the expected start is the true one:
/// start + d(maximum batch size) is within the deadline; with `downstream`, as for PARD, also with the
/// executions of the later modules added.
void expect_no_visit_run_late(const RunSpec& spec, const Ran& ran, bool downstream) {
  if (spec.world.jitter != Jitter::kOff) return;
  std::vector<TimeNs> exec(ran.record.modules.size());
  for (const PlanRow& plan : ran.record.plans) exec[plan.module] = plan.exec_ns;
  std::vector<double> cost(exec.begin(), exec.end());
  if (downstream) {
    const std::vector<double> after = longest_after(spec.pipeline, cost);
    for (std::size_t m = 0; m < exec.size(); ++m) exec[m] += static_cast<TimeNs>(after[m]);
  }
  for (const VisitRow& row : ran.rows.visit_rows) {
    if (row.outcome != VisitOutcome::kDone) continue;
    const TimeNs deadline_ns = ran.rows.request_rows[row.request].sent_ns + spec.slo_ns;
    ASSERT_LE(row.started_ns + exec[row.module], deadline_ns) << row.request << " at module " << row.module;
  }
}

/// Expects a limit of a quarter of an hour to change nothing.
void expect_room_changes_nothing(RunSpec& spec, const Ran&) {
  spec.world.scheduler_queue_limit_ms = 1e6;
  const std::uint64_t roomy = simulate(spec, nullptr).fingerprint;
  spec.world.scheduler_queue_limit_ms = 0;
  EXPECT_EQ(roomy, simulate(spec, nullptr).fingerprint);
}

/// Random cells of one kind.
struct Kind {
  std::string name;
  int cells = 0;
  std::function<RunSpec(RandomStream&)> draw;  ///< draws a cell; may throw InputError if no plan fits
  Tally at_least = {};
  std::function<void(RunSpec&, const Ran&)> also = {};
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

/// Adds the kinds that are drawn for every system: on any pipeline, with faults, with schedulers that take
/// time.
void add_kinds_of(const SystemEntry& entry, std::vector<Kind>& kinds) {
  const std::string name = entry.name;
  using Change = void (*)(RunSpec&, RandomStream&);
  const auto kind = [&](const char* of, int cells, RunSpec (*draw_cell)(RandomStream&, const SystemEntry&),
                        Change change, Tally at_least = {}, decltype(Kind::also) also = {}) {
    const auto draw = [&entry, draw_cell, change](RandomStream& random) {
      RunSpec spec = draw_cell(random, entry);
      change(spec, random);
      testing::add_load(spec, random);
      return spec;
    };
    kinds.push_back({name + "_" + of, cells, draw, std::move(at_least), std::move(also)});
  };
  const auto nothing = [](RunSpec&, RandomStream&) {};
  kind("any", 300, testing::random_cell, nothing, {}, [name](RunSpec& spec, const Ran& ran) {
    if (name == "nexus" || name == "pard") expect_no_visit_run_late(spec, ran, name == "pard");
    if (name == "naive") {
      EXPECT_EQ(ran.record.dropped, 0U);
    }
  });
  kind("dynamic", 180, testing::random_dynamic_cell, nothing);
  kind(
      "faulty", 220, testing::random_cell_or_dynamic,
      [](RunSpec& spec, RandomStream& random) { spec.faults = testing::random_faults(random, spec.workers); },
      {{"worker_lost", 1}, {"message_lost", 1}, {"no_worker", 1}});
  kind("costly", 110, testing::random_cell_or_dynamic, [](RunSpec& spec, RandomStream& random) {
    if (random.below(2) == 0) spec.faults = testing::random_faults(random, spec.workers);
    testing::add_cost(spec, random);
  });
  kind("started_small", 40, testing::random_cell_or_dynamic, [](RunSpec& spec, RandomStream& random) {
    spec.planner.initial_workers = 1 + static_cast<int>(random.below(2));
  });
  kind(
      "bounded", 60, testing::random_cell_or_dynamic,
      [](RunSpec& spec, RandomStream& random) {
        spec.planner.autoscale = false;
        testing::add_queue_limit(spec, random);
      },
      {{"scheduler_queue_full", 1'000}}, expect_room_changes_nothing);
}

RunSpec costly(RunSpec spec, RandomStream& random) {
  testing::add_cost(spec, random);
  return spec;
}

RunSpec bounded(RunSpec spec, RandomStream& random) {
  testing::add_queue_limit(spec, random);
  return spec;
}

/// Returns a cell of any system, with faults and bounded queues of schedulers; its plans may grow.
RunSpec faulty_bounded_cell(RandomStream& random) {
  const SystemEntry& entry = all_systems()[random.below(all_systems().size())];
  RunSpec spec = testing::random_cell(random, entry);
  spec.faults = testing::random_faults(random, spec.workers);
  testing::add_load(spec, random);
  return bounded(std::move(spec), random);
}

/// Returns a cell of that system on InferLine's plans.
RunSpec on_inferline_cell(RandomStream& random, const SystemEntry& entry) {
  RunSpec spec = testing::random_cell_or_dynamic(random, entry);
  spec.workers *= 4;
  spec.system = composed_system(std::move(spec.system), find_system("inferline")->make());
  PlanningTimes times;
  times.sample_ns = 10 * kNsPerS;
  const double rate_rps = 20 + 100 * random.uniform();
  times.sample = testing::poisson_times(rate_rps, times.sample_ns, random.bits());
  spec.planning = std::make_shared<const PlanningTimes>(std::move(times));
  testing::add_load(spec, random);
  return spec;
}

std::vector<Kind> kinds() {
  using Random = RandomStream;
  const auto group_cell = [](Random& random) { return testing::random_group_cell(random); };
  const auto tree_cell = [](Random& random) { return testing::random_tree_cell(random); };
  std::vector<Kind> kinds = {
      {"preempting", 120, testing::random_preempting_cell, {{"preempted", 3'000}}},
      {"preempting_costly",
       120,
       [](Random& random) { return costly(testing::random_preempting_cell(random), random); },
       {{"preempted", 1'000}}},
      {"preempting_bounded",
       50,
       [](Random& random) { return bounded(testing::random_preempting_cell(random), random); },
       {{"scheduler_queue_full", 500}}},
      {"groups", 150, group_cell, {{"in_time", 10'000}, {"preempted", 100}, {"mixed_workers", 50}}},
      {"groups_costly",
       100,
       [=](Random& random) { return costly(group_cell(random), random); },
       {{"in_time", 10'000}}},
      {"groups_bounded",
       50,
       [=](Random& random) { return bounded(group_cell(random), random); },
       {{"scheduler_queue_full", 500}}},
      {"changing_groups",
       300,
       testing::random_changing_cell,
       {{"in_time", 10'000}, {"preempted", 100}, {"workers_removed", 1'000}}},
      {"faulty_bounded", 110, faulty_bounded_cell, {{"scheduler_queue_full", 1'000}}},
      {"trees",
       200,
       tree_cell,
       {{"completed", 20'000}, {"over_budget", 1'000}, {"answered_in_part", 1'000}, {"visits", 60'000}}},
      {"shepherd_streams",
       120,
       testing::shepherd_cell,
       {{"in_time", 10'000}, {"preempted", 100}},
       expect_nothing_late},
      {"shepherd_groups", 60, testing::herd_cell, {{"in_time", 10'000}}},
      {"shepherd_groups_faulty", 60, testing::faulty_herd_cell, {{"in_time", 10'000}}},
      {"clockwork_streams", 120, testing::clockwork_cell, {{"in_time", 10'000}}, expect_nothing_late},
      {"symphony_streams", 120, testing::symphony_cell, {{"in_time", 10'000}}, expect_nothing_late},
      {"nexus_streams",
       150,
       testing::nexus_cell,
       {{"in_time", 10'000}, {"no_worker", 100}, {"mixed_workers", 20}},
       [](RunSpec& spec, const Ran& ran) {
         expect_nothing_late(spec, ran);
         if (spec.faults.empty()) {
           EXPECT_LE(ran.record.workers.size(), static_cast<std::size_t>(spec.workers));
         }
       }}};
  for (const std::string system : {"loki", "proteus", "hwscaling"}) {
    const auto draw = [system](Random& random) { return testing::faulty_tree_cell_of(system, random); };
    kinds.push_back({system + "_trees", 50, draw});
  }
  for (const std::string system : {"naive", "clipperpp", "nexus", "pard", "rag"}) {
    const auto draw = [system](Random& random) { return on_inferline_cell(random, *find_system(system)); };
    kinds.push_back({system + "_on_inferline", 40, draw, {{"workers_added", 10}}});
  }
  for (const SystemEntry* entry : testing::every_system()) add_kinds_of(*entry, kinds);
  return kinds;
}

/// Returns the number of workers that served several modules.
std::uint64_t mixed_workers(const Ran& ran) {
  std::vector<std::set<ModuleId>> served(ran.record.workers.size());
  for (const VisitRow& row : ran.rows.visit_rows) {
    if (row.outcome == VisitOutcome::kDone) served[row.worker].insert(row.module);
  }
  return static_cast<std::uint64_t>(
      std::ranges::count_if(served, [](const std::set<ModuleId>& modules) { return modules.size() > 1; }));
}

class Laws : public ::testing::TestWithParam<Kind> {};

TEST_P(Laws, HoldInEveryCell) {
  const Kind& kind = GetParam();
  RandomStream random(1, kind.name);
  Tally tally;
  for (int cell = 0; cell < kind.cells && !HasFailure(); ++cell) {
    SCOPED_TRACE("cell " + std::to_string(cell));
    RunSpec spec = testing::next_with_a_plan([&] { return kind.draw(random); });
    spec.record_replay = cell % 3 == 0;
    const Ran ran(spec);
    expect_laws(spec, ran, tally);
    if (std::exchange(spec.record_replay, false)) {
      tally["repeated_decisions"] += testing::expect_repeated(spec, ran.record.replay).decisions;
      EXPECT_EQ(ran.record.fingerprint, simulate(spec, nullptr).fingerprint)
          << "rows and logs change nothing";
    }
    if (cell % 4 == 1) testing::expect_measured_part(spec, ran, (1 + cell / 4 % 3) * kNsPerS);
    if (kind.also) kind.also(spec, ran);
    testing::add(ran.record, tally);
    tally["mixed_workers"] += mixed_workers(ran);
  }
  testing::expect_at_least(kind.at_least, tally);
  testing::expect_at_least({{"repeated_decisions", 1'000}}, tally);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Laws, ::testing::ValuesIn(kinds()),
                         [](const auto& test) { return test.param.name; });

class LightLoad : public ::testing::TestWithParam<const SystemEntry*> {};

/// Every system serves every kind of pipeline, with every way of queueing and committing.
TEST_P(LightLoad, IsServedInTimeOnEveryKindOfPipeline) {
  std::vector<Pipeline> pipelines = testing::dynamic_pipelines();
  pipelines.insert(pipelines.end(), {testing::chain(1), testing::chain(3), testing::diamond()});
  for (const Pipeline& pipeline : pipelines) {
    for (const Commit commit : {Commit::kEarly, Commit::kLate}) {
      for (const QueueScope queue : {QueueScope::kWorker, QueueScope::kModule}) {
        const std::size_t modules = pipeline.modules.size();
        SCOPED_TRACE(pipeline.name + " of " + std::to_string(modules));
        RunSpec spec = testing::make_spec(
            "naive", pipeline, std::vector<Profile>(modules, testing::linear_profile("m", 2, 8, 8)),
            std::vector<ModuleOverride>(modules, {4, 2}), ms_to_ns(300),
            testing::poisson_times(40, 10 * kNsPerS, 5), 10 * kNsPerS);
        spec.system = GetParam()->make();
        spec.serving.commit = commit;
        spec.serving.queue = queue;
        const RunRecord record = simulate(spec, nullptr);
        // Load is a tenth of the capacity: nothing needs to be late, and an idle system drops next to
        // nothing.
        EXPECT_EQ(record.late, 0u);
        EXPECT_LE(static_cast<double>(record.dropped), 0.01 * static_cast<double>(record.sent));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllSystems, LightLoad, ::testing::ValuesIn(testing::every_system()),
                         testing::kSystemName);

}  // namespace
}  // namespace harness
