// The effects of faulty links on reports and published states, and the expectations of a slow GPU's
// scheduler, seen by a system that only looks.
#include <gtest/gtest.h>

#include "harness/serving/batch_slot.h"
#include "harness/serving/batching_scheduler.h"
#include "harness/serving/visit_ring.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness {
namespace {

/// The times in ms at which messages arrived.
struct Seen {
  std::vector<std::pair<double, QueueId>> reports;  ///< reports at the controller, with the queue
  std::vector<std::pair<double, QueueId>> states;   ///< states at the queues, with the queue
  std::vector<std::pair<double, double>> batches;   ///< starts and expected ends of batches
};

/// A policy that serves first in, first out, and reports its queue at every whole second.
class SpyPolicy {
 public:
  SpyPolicy(Seen& seen, QueueId id) : seen_(seen), id_(id) {}
  void on_plan(TimeNs, const ModulePlan&) {}
  void start(TimeNs now, Decisions& out) { out.wake_at((now / kNsPerS + 1) * kNsPerS); }
  void push(TimeNs, const Visit& visit) { queue_.push({visit.id}); }
  bool erase(VisitId visit) { return queue_.erase(visit); }
  bool empty() const { return queue_.empty(); }
  int fill(TimeNs, const BatchSlot& slot, Decisions& out) {
    out.join(slot.worker, queue_.front().id);
    queue_.pop_front();
    return 1;
  }
  void on_started(TimeNs, const BatchView& batch) {
    seen_.batches.emplace_back(ns_to_ms(batch.started_ns), ns_to_ms(batch.expected_end_ns));
  }
  void on_done(TimeNs, const BatchView&) {}
  void on_state(TimeNs now, ModuleId, std::span<const double>) {
    seen_.states.emplace_back(ns_to_ms(now), id_);
  }
  void on_timer(TimeNs now, Decisions& out) {
    const double value = id_;
    out.report({&value, 1});
    start(now, out);
  }

 private:
  struct Waiting {
    VisitId id = 0;
  };
  Seen& seen_;
  QueueId id_;
  VisitRing<Waiting> queue_;
};

class SpyController final : public Controller {
 public:
  explicit SpyController(Seen& seen) : seen_(seen) {}
  void on_plan(TimeNs, const Plan&) override {}
  void on_report(TimeNs now, QueueId queue, std::span<const double>, Publication&) override {
    seen_.reports.emplace_back(ns_to_ms(now), queue);
  }
  void on_period(TimeNs, Publication& out) override {
    const double value = 1;
    out.publish({&value, 1});
  }
  void on_state(TimeNs, ModuleId, std::span<const double>, Publication&) override {}

 private:
  Seen& seen_;
};

class SpySystem final : public System {
 public:
  explicit SpySystem(Seen& seen) : seen_(seen) {}
  void list(ParamList&) override {}
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<SpyPolicy>>(context, module, seen_, queue);
  }
  std::unique_ptr<Controller> make_controller(const ServingContext&, ModuleId) override {
    return std::make_unique<SpyController>(seen_);
  }

 private:
  Seen& seen_;
};

/// Returns a cell with one module, two workers and batches of one in 10 ms; the last request is sent at 5.5
/// s.
RunSpec spy_spec(Seen& seen, std::vector<TimeNs> times) {
  times.push_back(5500 * kNsPerMs);
  RunSpec spec = testing::make_spec("naive", testing::chain(1), {testing::linear_profile("m", 0, 10, 1)},
                                    {{1, 2}}, kNsPerS, times, 6 * kNsPerS);
  spec.system = std::make_unique<SpySystem>(seen);
  spec.serving.state_delay_ms = 5;
  return spec;
}

Fault fault(FaultKind kind, double at_s, double for_s, int gpu) {
  Fault fault = testing::fault_of(kind, 1e3 * at_s, 1e3 * for_s, gpu);
  fault.delay_ns = 300 * kNsPerMs;
  fault.factor = 2;
  return fault;
}

std::vector<double> times_of(const std::vector<std::pair<double, QueueId>>& seen, QueueId queue) {
  std::vector<double> times;
  for (const auto& [at, which] : seen) {
    if (which == queue) times.push_back(at);
  }
  return times;
}

TEST(FaultyLinks, LoseAndDelayReportsAndStates) {
  Seen seen;
  RunSpec spec = spy_spec(seen, {});
  // Messages of GPU 0 from 1.5 to 2.5 s are lost; messages of GPU 1 from 3.5 to 4.5 s come 300 ms later.
  spec.faults = {fault(FaultKind::kLoss, 1.5, 1, 0), fault(FaultKind::kDelay, 3.5, 1, 1)};
  simulate(spec, nullptr);
  EXPECT_EQ(times_of(seen.reports, 0), (std::vector<double>{1005, 3005, 4005, 5005}));
  EXPECT_EQ(times_of(seen.reports, 1), (std::vector<double>{1005, 2005, 3005, 4305, 5005}));
  // Published 5 ms and 1 ns after each second.
  const double published = 10 + 1e-6;
  EXPECT_EQ(times_of(seen.states, 0),
            (std::vector<double>{1000 + published, 3000 + published, 4000 + published, 5000 + published}));
  EXPECT_EQ(times_of(seen.states, 1),
            (std::vector<double>{1000 + published, 2000 + published, 3000 + published, 4300 + published,
                                 5000 + published}));
}

TEST(SlowGpu, ItsSchedulerExpectsTheProfile) {
  Seen seen;
  RunSpec spec = spy_spec(seen, {0, 0, kNsPerMs});
  spec.faults = {fault(FaultKind::kSlow, 0, 1, 0)};
  simulate(spec, nullptr);
  // GPU 0 takes 20 ms; its second request starts when it is free, not when it was expected to be.
  EXPECT_EQ(seen.batches, (std::vector<std::pair<double, double>>{{0, 10}, {0, 10}, {20, 30}, {5500, 5510}}));
}

}  // namespace
}  // namespace harness
