// Properties over random cells: the books close (checked inside every run), no result passes the fluid bound,
// Nexus and PARD never run a visit that they estimated late, and every registered system serves every kind of
// pipeline.
#include <gtest/gtest.h>

#include <string>

#include "harness/core/error.h"
#include "harness/engine/cluster.h"
#include "harness/engine/fluid_bound.h"
#include "harness/engine/reservation_bound.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::RowKeeper;

std::vector<Profile> random_profiles(RandomStream& random, std::size_t modules) {
  std::vector<Profile> profiles;
  for (std::size_t m = 0; m < modules; ++m) {
    profiles.push_back(testing::linear_profile("m" + std::to_string(m), 0.2 + 3 * random.uniform(),
                                               1 + 10 * random.uniform(),
                                               4 + static_cast<int>(random.below(29))));
  }
  return profiles;
}

/// Poisson arrivals whose rate jumps between a low and a high value.
std::vector<TimeNs> bursty_times(RandomStream& random, double mean_rps, TimeNs duration_ns) {
  std::vector<TimeNs> times;
  double at = 0;
  double rate = mean_rps;
  double change_at = 0;
  for (;;) {
    if (at >= change_at) {
      rate = mean_rps * (0.2 + 1.6 * random.uniform());
      change_at = at + 2e8 + 1e9 * random.uniform();
    }
    at += random.exponential() / rate * 1e9;
    if (at >= static_cast<double>(duration_ns)) return times;
    times.push_back(static_cast<TimeNs>(at));
  }
}

RunSpec random_cell(RandomStream& random, const SystemEntry& entry) {
  RunSpec spec;
  const std::uint64_t shape = random.below(4);
  spec.pipeline = shape == 3 ? testing::diamond() : testing::chain(1 + 2 * shape);
  spec.profiles = random_profiles(random, spec.pipeline.modules.size());
  spec.slo_ns = ms_to_ns(150 + 400 * random.uniform());
  spec.workers = static_cast<int>(spec.pipeline.modules.size() * (1 + random.below(3)));
  spec.seed = random.bits();
  spec.serving.commit = static_cast<Commit>(random.below(2));
  spec.serving.dispatch = static_cast<Dispatch>(random.below(2));
  spec.serving.queue = static_cast<QueueScope>(random.below(2));
  spec.serving.state_delay_ms = random.below(2) == 0 ? 0.0 : 50.0 * random.uniform();
  spec.planner.sizing_factor = 1.2 + random.uniform();
  spec.planner.max_batch = 32;
  spec.world.network_delay_ms = random.below(2) == 0 ? 0.0 : 2.0 * random.uniform();
  const std::uint64_t jitter = random.below(8);
  spec.world.jitter = jitter == 0 ? Jitter::kExponential : jitter < 3 ? Jitter::kUniform : Jitter::kOff;
  spec.world.jitter_fraction = 0.3 * random.uniform();
  if (random.below(4) == 0) {
    spec.planner.autoscale = true;
    spec.planner.workers = WorkerRule::kRate;
    spec.planner.period_s = 0.7;
    spec.planner.scale_down_s = 1;
    spec.planner.plan_time_ms = random.below(2) == 0 ? 0.0 : 1500 * random.uniform();
    spec.world.cold_start_ms = 500 * random.uniform();
  }
  spec.system = entry.make();
  return spec;
}

void add_load(RunSpec& spec, RandomStream& random) {
  const TimeNs duration_ns = s_to_ns(4);
  spec.arrivals = std::make_unique<testing::FixedArrivals>(std::vector<TimeNs>{}, duration_ns);
  const double capacity = capacity_rps(make_context(spec), initial_plan(spec, 1000));
  const double rate = std::min(1500.0, capacity * (0.3 + 2 * random.uniform()));
  spec.arrivals =
      std::make_unique<testing::FixedArrivals>(bursty_times(random, rate, duration_ns), duration_ns);
}

/// What Nexus and PARD estimate at least, without jitter, when the expected start is the true one: start +
/// d(batch cap), for PARD also the executions of the later modules, within the deadline.
void expect_no_visit_run_late(const RunSpec& spec, const RunRecord& record, const RowKeeper& rows,
                              bool downstream) {
  std::vector<TimeNs> exec(record.modules.size());
  for (const PlanRow& plan : record.plans) exec[plan.module] = plan.exec_ns;
  std::vector<double> cost(exec.begin(), exec.end());
  if (downstream) {
    const std::vector<double> after = longest_after(spec.pipeline, cost);
    for (std::size_t m = 0; m < exec.size(); ++m) exec[m] += static_cast<TimeNs>(after[m]);
  }
  std::vector<TimeNs> sent(record.sent);
  for (const RequestRow& row : rows.request_rows) sent[row.request] = row.sent_ns;
  for (const VisitRow& row : rows.visit_rows) {
    if (row.outcome != VisitOutcome::kDone) continue;
    const TimeNs exec_ns = exec[row.module];
    const TimeNs due_ns = sent[row.request] + spec.slo_ns;
    ASSERT_LE(row.started_ns + exec_ns, due_ns) << "request " << row.request << " at module " << row.module;
  }
}

class RandomCells : public ::testing::TestWithParam<const SystemEntry*> {};

TEST_P(RandomCells, CloseTheirBooksAndStayWithinTheBound) {
  const SystemEntry& entry = *GetParam();
  RandomStream random(11, entry.name);
  int ran = 0;
  for (int round = 0; round < 420; ++round) {
    RunSpec spec = random_cell(random, entry);
    try {
      add_load(spec, random);
    } catch (const InputError&) {
      continue;  // the planner finds no batch size for this SLO
    }
    ++ran;
    RowKeeper rows;
    const RunRecord record = simulate(spec, &rows);
    ASSERT_EQ(record.sent, rows.request_rows.size());
    const std::uint64_t bound = fluid_bound(spec, record);
    ASSERT_LE(record.in_time, bound) << "round " << round;
    ASSERT_LE(reservation_bound(spec, record).value_or(0), bound) << "round " << round;
    const std::string name = entry.name;
    if ((name == "nexus" || name == "pard") && spec.world.jitter == Jitter::kOff) {
      expect_no_visit_run_late(spec, record, rows, name == "pard");
    }
    if (name == "naive") {
      ASSERT_EQ(record.dropped, 0u);
    }
    if (round % 10 == 0) {
      ASSERT_EQ(record.fingerprint, simulate(spec, nullptr).fingerprint) << "rows change nothing";
    }
  }
  EXPECT_GE(ran, 250) << "1,000 cells over the four systems";
}

std::vector<const SystemEntry*> entries() {
  std::vector<const SystemEntry*> result;
  for (const SystemEntry& entry : all_systems()) result.push_back(&entry);
  return result;
}

INSTANTIATE_TEST_SUITE_P(AllSystems, RandomCells, ::testing::ValuesIn(entries()),
                         [](const auto& test) { return std::string(test.param->name); });

/// Every registered system on every kind of pipeline, with every way of queueing and committing.
class Conformance : public ::testing::TestWithParam<const SystemEntry*> {};

TEST_P(Conformance, ServesALightLoadInTimeOnEveryKindOfPipeline) {
  for (const Pipeline& pipeline : {testing::chain(1), testing::chain(3), testing::diamond()}) {
    for (const Commit commit : {Commit::kEarly, Commit::kLate}) {
      for (const QueueScope queue : {QueueScope::kWorker, QueueScope::kModule}) {
        const std::size_t modules = pipeline.modules.size();
        RunSpec spec = testing::make_spec(
            GetParam()->name, pipeline, std::vector<Profile>(modules, testing::linear_profile("m", 2, 8, 8)),
            std::vector<ModuleOverride>(modules, {4, 2}), ms_to_ns(300),
            testing::poisson_times(40, 10 * kNsPerS, 5), 10 * kNsPerS);
        spec.serving.commit = commit;
        spec.serving.queue = queue;
        const RunRecord record = simulate(spec, nullptr);
        // Load is a tenth of the capacity: nothing needs to be late, and an idle system drops next to
        // nothing.
        EXPECT_EQ(record.late, 0u) << pipeline.name << modules;
        EXPECT_LE(static_cast<double>(record.dropped), 0.01 * static_cast<double>(record.sent))
            << pipeline.name << modules;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllSystems, Conformance, ::testing::ValuesIn(entries()),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace harness
