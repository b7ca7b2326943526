// A system for tests that preempts: first in, first out; a batch that is small against the queue is stopped.
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "harness/core/error.h"
#include "harness/serving/system.h"
#include "harness/sim/test_random_cells.h"

namespace harness::testing {

/// Batches as large as the cap allows, joined when the worker is free. An arrival preempts the worker that
/// has the smallest batch, if `factor` times that is no more than what is queued. Visits of a preempted batch
/// go to the back of the queue; what is past its deadline is dropped.
class PreemptingScheduler final : public Scheduler {
 public:
  PreemptingScheduler(ModuleId module, double factor) : module_(module), factor_(factor) {}

  void on_plan(TimeNs, const Plan& plan, Decisions&) override { cap_ = plan.modules[module_].batch_cap; }
  void on_worker_added(TimeNs, WorkerId worker, Decisions&) override { workers_[worker] = {}; }
  void on_worker_draining(TimeNs, WorkerId worker, Decisions&) override { workers_.erase(worker); }
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override {
    for (const WorkerId worker : workers) workers_.erase(worker);
    queue_.insert(queue_.end(), visits.begin(), visits.end());
    start_free(now, out);
  }
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override {
    queue_.push_back(visit);
    start_free(now, out);
    Worker* smallest = nullptr;
    WorkerId which = 0;
    for (auto& [id, worker] : workers_) {
      if (worker.running == 0 || worker.asked) continue;
      if (smallest == nullptr || worker.running < smallest->running) {
        smallest = &worker;
        which = id;
      }
    }
    if (smallest == nullptr || factor_ * smallest->running > static_cast<double>(queue_.size())) return;
    smallest->asked = true;
    out.preempt(which);
  }
  void on_cancelled(TimeNs, VisitId visit, Decisions&) override {
    std::erase_if(queue_, [visit](const Visit& one) { return one.id == visit; });
  }
  void on_worker_free(TimeNs now, WorkerId, Decisions& out) override { start_free(now, out); }
  void on_batch_started(TimeNs, const BatchView&, Decisions&) override {}
  void on_batch_done(TimeNs, const BatchView& batch, Decisions&) override { set_free(batch.worker); }
  void on_batch_preempted(TimeNs, const BatchView& batch, std::span<const Visit> visits,
                          Decisions&) override {
    set_free(batch.worker);
    queue_.insert(queue_.end(), visits.begin(), visits.end());
  }

 private:
  struct Worker {
    int running = 0;
    bool asked = false;
  };

  void set_free(WorkerId worker) {
    const auto found = workers_.find(worker);
    if (found != workers_.end()) found->second = {};
  }

  void start_free(TimeNs now, Decisions& out) {
    for (auto& [id, worker] : workers_) {
      if (worker.running > 0) continue;
      while (worker.running < cap_ && !queue_.empty()) {
        if (queue_.front().due_ns <= now) {
          out.drop(queue_.front().id, DropReason::kExpired);
        } else {
          out.join(id, queue_.front().id);
          ++worker.running;
        }
        queue_.pop_front();
      }
      if (worker.running > 0) out.launch(id);
    }
  }

  ModuleId module_;
  double factor_;
  int cap_ = 1;
  std::map<WorkerId, Worker> workers_;
  std::deque<Visit> queue_;
};

class PreemptingSystem final : public System {
 public:
  explicit PreemptingSystem(double factor) : factor_(factor) {}
  void list(ParamList&) override {}
  bool preempts() const override { return true; }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext&, DomainId, ModuleId module) override {
    return std::make_unique<PreemptingScheduler>(module, factor_);
  }

 private:
  double factor_;
};

/// A cell of any shape, load and scaling, every third with faults, whose system preempts.
inline RunSpec random_preempting_cell(RandomStream& random) {
  RunSpec spec = next_with_a_plan([&random] {
    RunSpec cell = random_cell(random, all_systems().front());
    cell.system = std::make_unique<PreemptingSystem>(0.5 + 3 * random.uniform());
    for (Profile& profile : cell.profiles) profile.exit_points = static_cast<int>(random.below(60));
    if (random.below(4) == 0) cell.world.preemption = Preemption::kImmediate;
    add_load(cell, random);
    return cell;
  });
  if (random.below(3) == 0) spec.faults = random_faults(random, spec.workers);
  return spec;
}

}  // namespace harness::testing
