// Tests, by hand, of visits and batches that do not run to their end: live runs do the same as simulated
// ones.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/test_time.h"
#include "harness/engine/test_system.h"
#include "harness/live/run/test_ranks_in_step.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

using testing::RanksInStep;
using testing::RowKeeper;

/// Returns the first row of a visit at that module.
VisitRow row_at(const RowKeeper& rows, std::uint16_t module) {
  for (const VisitRow& row : rows.visit_rows) {
    if (row.module == module) return row;
  }
  ADD_FAILURE() << "no visit at module " << module;
  return {};
}

TEST(LiveEnds, AVisitOfAnEndedRequestArrivesWhereItsQueueHasClosed) {
  // m0 -> {m1, m2} -> m3, 10 ms each. At 10 ms m2 drops the request, whose other branch travels until 110 ms
  // to a GPU that stops at 50.
  RunSpec spec = testing::make_spec("naive", testing::diamond(),
                                    std::vector<Profile>(4, testing::linear_profile("m", 0, 10, 1)),
                                    {{1, 1}, {1, 1}, {1, 1}, {1, 1}}, kNsPerS, testing::at_ms({0}), kNsPerS);
  spec.system = std::make_unique<testing::ScriptedSystem>(testing::DropList{{2, {0}}});
  spec.faults = {testing::fault_of(FaultKind::kDelay, 5, 200, 1),
                 testing::fault_of(FaultKind::kStop, 50, 1, 1)};
  spec.faults[0].delay_ns = 100 * kMs;
  for (int ranks = 0; ranks <= 3; ++ranks) {
    SCOPED_TRACE(ranks == 0 ? "simulated" : std::to_string(ranks) + " ranks");
    RowKeeper rows;
    const RunRecord record = ranks == 0 ? simulate(spec, &rows) : RanksInStep(ranks, {}).run(spec, {}, &rows);
    EXPECT_EQ(record.modules[1].cancelled, 1U);
    const VisitRow row = row_at(rows, 1);
    EXPECT_EQ(row.outcome, VisitOutcome::kCancelled);
    EXPECT_EQ(row.arrived_ns, 110 * kMs);
    EXPECT_EQ(row.ended_ns, 110 * kMs);
  }
}

/// A scheduler that stops its first batch when it starts, and the second after 2 ms.
class StoppingScheduler final : public Scheduler {
 public:
  void on_plan(TimeNs, const Plan&, Decisions&) override {}
  void on_worker_added(TimeNs, WorkerId worker, Decisions&) override { worker_ = worker; }
  void on_worker_draining(TimeNs, WorkerId, Decisions&) override {}
  void on_workers_lost(TimeNs, std::span<const WorkerId>, std::span<const Visit>, Decisions&) override {}
  void on_arrival(TimeNs, const Visit& visit, Decisions& out) override { run(visit, out); }
  void on_cancelled(TimeNs, VisitId, Decisions&) override {}
  void on_worker_free(TimeNs, WorkerId, Decisions& out) override {
    if (stopped_) run(*stopped_, out);
    stopped_.reset();
  }
  void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) override {
    ++started_;
    if (started_ == 1) out.preempt(batch.worker);
    if (started_ == 2) out.wake_at(now + 2 * kMs);
  }
  void on_batch_done(TimeNs, const BatchView&, Decisions&) override {}
  void on_batch_preempted(TimeNs, const BatchView&, std::span<const Visit> visits, Decisions&) override {
    stopped_ = visits.front();
  }
  void on_timer(TimeNs, Decisions& out) override { out.preempt(worker_); }

 private:
  void run(const Visit& visit, Decisions& out) const {
    out.join(worker_, visit.id);
    out.launch(worker_);
  }

  WorkerId worker_ = 0;
  int started_ = 0;
  std::optional<Visit> stopped_;
};

class StoppingSystem final : public System {
 public:
  void list(ParamList&) override {}
  SystemTraits traits() const override { return {.preempts = true}; }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext&, QueueId, GroupId) override {
    return std::make_unique<StoppingScheduler>();
  }
};

TEST(LiveEnds, TwoBatchesThatBeginAtOneMomentAreBothPreempted) {
  RunSpec spec = testing::make_spec("naive", testing::chain(1), {testing::linear_profile("m", 0, 10, 1)},
                                    {{1, 1}}, kNsPerS, testing::at_ms({5}), kNsPerS);
  spec.system = std::make_unique<StoppingSystem>();
  spec.world.preemption = Preemption::kImmediate;
  for (int ranks = 0; ranks <= 2; ++ranks) {
    SCOPED_TRACE(ranks == 0 ? "simulated" : std::to_string(ranks) + " ranks");
    RowKeeper rows;
    const RunRecord record = ranks == 0 ? simulate(spec, &rows) : RanksInStep(ranks, {}).run(spec, {}, &rows);
    EXPECT_EQ(record.modules[0].preempted, 2U);
    EXPECT_EQ(record.gpu_ns, (0 + 2 + 10) * kMs);
    EXPECT_EQ(row_at(rows, 0).ended_ns, (5 + 2 + 10) * kMs);
  }
}

}  // namespace
}  // namespace harness
