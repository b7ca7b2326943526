// What the tests of schedulers that take their time share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/random.h"
#include "harness/engine/fluid_bound.h"
#include "harness/serving/system.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_run.h"
#include "harness/sim/test_world.h"

namespace harness::testing {

/// Drops every visit when it is told of it: one message a request.
class Refuser final : public Scheduler {
 public:
  void on_plan(TimeNs, const Plan&, Decisions&) override {}
  void on_worker_added(TimeNs, WorkerId, Decisions&) override {}
  void on_worker_draining(TimeNs, WorkerId, Decisions&) override {}
  void on_workers_lost(TimeNs, std::span<const WorkerId>, std::span<const Visit>, Decisions&) override {}
  void on_arrival(TimeNs, const Visit& visit, Decisions& out) override {
    out.drop(visit.id, DropReason::kOverload);
  }
  void on_cancelled(TimeNs, VisitId, Decisions&) override {}
  void on_worker_free(TimeNs, WorkerId, Decisions&) override {}
  void on_batch_started(TimeNs, const BatchView&, Decisions&) override {}
};

class RefusingSystem final : public System {
 public:
  void list(ParamList&) override {}
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext&, DomainId, ModuleId) override {
    return std::make_unique<Refuser>();
  }
};

/// One module whose batches of one take 10 ms; what is handled costs its queue `cost_ms`.
inline RunSpec spec_of(const std::vector<double>& times_ms, int workers, double cost_ms) {
  RunSpec spec = make_spec("naive", chain(1), {linear_profile("m", 0, 10, 1)}, {{1, workers}}, kNsPerS,
                           at_ms(times_ms), kNsPerS);
  spec.serving.queue = QueueScope::kModule;
  spec.world.scheduler_cost = SchedulerCost::kFixed;
  spec.world.scheduler_cost_us = cost_ms * 1e3;
  return spec;
}

inline RunSpec refusing(std::vector<TimeNs> times, int workers, double cost_ms) {
  RunSpec spec = spec_of({}, workers, cost_ms);
  spec.system = std::make_unique<RefusingSystem>();
  spec.arrivals = std::make_unique<FixedArrivals>(std::move(times), kNsPerS);
  return spec;
}

/// Some cost between 1 us and 3 ms a message.
inline void add_cost(RunSpec& spec, RandomStream& random) {
  spec.world.scheduler_cost = SchedulerCost::kFixed;
  spec.world.scheduler_cost_us = std::exp2(11.5 * random.uniform());
}

/// What holds in every run of such schedulers, whose queues may have bounds; close() has checked the books.
inline void expect_lawful(const RunSpec& spec, const Ran& ran) {
  const RunRecord& record = ran.record;
  ASSERT_EQ(record.sent, record.in_time + record.late + record.dropped);
  ASSERT_EQ(record.sent, ran.rows.request_rows.size());
  ASSERT_LE(record.in_time, fluid_bound(spec, record));
  ASSERT_GT(record.scheduler_busy_ns, 0);
  ASSERT_LE(record.scheduler_busy_ns, record.duration_ns);
  const TimeNs cost_ns = ms_to_ns(spec.world.scheduler_cost_us * 1e-3);
  // Else a visit may come from a queue that has closed.
  const bool queues_stay = spec.faults.empty() &&
                           std::ranges::all_of(record.plans, [](const auto& row) { return row.at_ns == 0; });
  for (const VisitRow& row : ran.rows.visit_rows) {
    if (row.outcome == VisitOutcome::kDropped && row.reason == DropReason::kInboxFull) {
      ASSERT_GE(row.ended_ns, row.arrived_ns);
      if (queues_stay) {
        ASSERT_EQ(row.ended_ns, row.arrived_ns) << "not at the door";
      }
    }
    if (row.started_ns == 0) continue;
    ASSERT_GE(row.joined_ns, row.arrived_ns + cost_ns) << "nothing joins before it has been handled";
  }
  ASSERT_EQ(record.fingerprint, simulate(spec, nullptr).fingerprint);
}

}  // namespace harness::testing
