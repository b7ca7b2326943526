// Systems and cells for the tests of schedulers that take time.
#pragma once

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/serving/system.h"
#include "harness/sim/test_world.h"

namespace harness::testing {

/// Drops every visit on its arrival, so that there is one message per request.
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
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext&, QueueId, ModuleId) override {
    return std::make_unique<Refuser>();
  }
};

/// Returns a cell with one module whose batches of one take 10 ms; each message costs its scheduler
/// `cost_ms`.
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

/// Adds a random cost between 1 us and 3 ms per message.
inline void add_cost(RunSpec& spec, RandomStream& random) {
  spec.world.scheduler_cost = SchedulerCost::kFixed;
  spec.world.scheduler_cost_us = std::exp2(11.5 * random.uniform());
}

/// A limit of a scheduler's queue, in ms, at which every visit that must wait is refused.
constexpr double kNoRoom = 1e-6;

/// Adds a random cost and a random limit of the queue of messages, often a small one.
inline void add_queue_limit(RunSpec& spec, RandomStream& random) {
  add_cost(spec, random);
  spec.world.scheduler_queue_limit_ms =
      random.below(4) == 0 ? kNoRoom : 50 * random.uniform() * random.uniform();
}

}  // namespace harness::testing
