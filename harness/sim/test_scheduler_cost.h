// What the tests of schedulers that take their time share.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "harness/sim/simulation.h"
#include "harness/sim/test_groups.h"

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
inline RunSpec spec_of(std::vector<double> times_ms, int workers, double cost_ms) {
  std::vector<TimeNs> times;
  for (const double time_ms : times_ms) times.push_back(ms_to_ns(time_ms));
  RunSpec spec = make_spec("naive", chain(1), {linear_profile("m", 0, 10, 1)}, {{1, workers}}, kNsPerS,
                           std::move(times), kNsPerS);
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

/// The cell's record and rows by request.
struct Ran {
  explicit Ran(const RunSpec& spec) : record(simulate(spec, &rows)) {
    const auto by_request = [](const auto& a, const auto& b) { return a.request < b.request; };
    std::sort(rows.request_rows.begin(), rows.request_rows.end(), by_request);
    std::sort(rows.visit_rows.begin(), rows.visit_rows.end(), by_request);
  }
  std::vector<double> ends() const {
    std::vector<double> result;
    for (const RequestRow& row : rows.request_rows) result.push_back(ns_to_ms(row.end_ns));
    return result;
  }
  std::vector<double> starts() const {
    std::vector<double> result;
    for (const VisitRow& row : rows.visit_rows) result.push_back(ns_to_ms(row.started_ns));
    return result;
  }
  RowKeeper rows;
  RunRecord record;
};

/// Some cost between 1 us and 3 ms a message.
inline void add_cost(RunSpec& spec, RandomStream& random) {
  spec.world.scheduler_cost = SchedulerCost::kFixed;
  spec.world.scheduler_cost_us = std::exp2(11.5 * random.uniform());
}

}  // namespace harness::testing
