// Properties over random cells: the books close (checked inside every run), no result passes the fluid bound,
// Nexus and PARD never run a visit that they estimated late, and every registered system serves every kind of
// pipeline.
#include <gtest/gtest.h>

#include <string>

#include "harness/core/error.h"
#include "harness/engine/dispatcher.h"
#include "harness/engine/fluid_bound.h"
#include "harness/engine/reservation_bound.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_random_cells.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::add_load;
using testing::random_cell;
using testing::RowKeeper;

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

INSTANTIATE_TEST_SUITE_P(AllSystems, RandomCells, ::testing::ValuesIn(testing::every_system()),
                         testing::kSystemName);

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

INSTANTIATE_TEST_SUITE_P(AllSystems, Conformance, ::testing::ValuesIn(testing::every_system()),
                         testing::kSystemName);

}  // namespace
}  // namespace harness
