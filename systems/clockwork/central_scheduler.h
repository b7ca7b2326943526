// Clockwork's controller over one set of workers and models (OSDI'20; SHEPHERD, section 7).
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/visit.h"
#include "systems/clockwork/model_strategies.h"

namespace harness {

// The workers that may get a batch, the one that is free first in front.

/// A binary heap by (time, id) with the place of each worker. Worker ids are small: an array is kept for
/// them. O(log n); allocates when a worker is new only.
class AvailableWorkers {
 public:
  bool empty() const { return heap_.empty(); }
  WorkerId first() const { return heap_.front().second; }
  TimeNs first_ns() const { return heap_.front().first; }

  /// The worker, here already or not, is free at `free_ns`.
  void set(WorkerId worker, TimeNs free_ns) {
    erase(worker);
    if (worker >= places_.size()) places_.resize(worker + std::size_t{1}, kNowhere);
    places_[worker] = heap_.size();
    heap_.emplace_back(free_ns, worker);
    rise(heap_.size() - 1);
  }

  /// Takes the worker out, if it is here.
  void erase(WorkerId worker) {
    if (worker >= places_.size() || places_[worker] == kNowhere) return;
    const std::size_t at = places_[worker];
    if (at + 1 < heap_.size()) swap(at, heap_.size() - 1);
    places_[worker] = kNowhere;
    heap_.pop_back();
    if (at == heap_.size()) return;
    rise(at);
    sink(at);
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  void swap(std::size_t one, std::size_t other) {
    std::swap(heap_[one], heap_[other]);
    places_[heap_[one].second] = one;
    places_[heap_[other].second] = other;
  }
  void rise(std::size_t at) {
    while (at > 0 && heap_[at] < heap_[(at - 1) / 2]) {
      swap(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  }
  void sink(std::size_t at) {
    for (;;) {
      std::size_t least = at;
      for (const std::size_t child : {2 * at + 1, 2 * at + 2}) {
        if (child < heap_.size() && heap_[child] < heap_[least]) least = child;
      }
      if (least == at) return;
      swap(at, least);
      at = least;
    }
  }

  std::vector<std::pair<TimeNs, WorkerId>> heap_;
  std::vector<std::size_t> places_;  ///< by worker
};

/// Fed with events, adds to a list of decisions; holds no clock and knows no engine.
///
/// A strategy is a model with a batch size. It must start at its first visit's deadline less the margin and
/// the estimate. Whenever a worker is expected to be free within the schedule-ahead, the strategy that must
/// start first has its turn: what would end late, started when the worker is free, leaves the model's
/// queues, and the model's largest batch that can be filled runs if it is at least the strategy's. If not,
/// the strategies of this size and above of the model are passed over, and the next has its turn. What no
/// batch could serve in time is dropped at its model's turn (kEstimatedLate); so is what is overtaken
/// (kEarlyDrop).
///
/// A worker has at most one batch behind the one that it runs. The one that is free first gets the next
/// batch; idle ones come first, in order of their ids. No visit joins a batch that would end, by the
/// estimates, later than the margin before its deadline.
///
/// Cost with G workers, M models, S sizes and Q visits queued of a model: an arrival O(log Q + S) while every
/// worker has enough to do; a batch that is formed O(log G + M + k S log Q), k of the models having been
/// looked at or got visits since the last one. Insertions also shift queued visits (DeadlineQueue). Nothing
/// is allocated in steady state.
class CentralScheduler {
 public:
  /// `models`: at least one. `queues_behind`: busy workers get batches too; otherwise free ones alone.
  CentralScheduler(const ClockworkParams& params, std::span<const ClockworkModel> models, bool queues_behind);

  /// on_worker_free follows.
  void on_worker_added(WorkerId worker);
  /// The worker has nothing to run.
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out);
  /// It gets nothing more.
  void on_worker_draining(WorkerId worker);
  /// These workers are gone. `visits`, which had joined their batches, wait again.
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out);
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out);
  void on_cancelled(VisitId visit);
  /// A batch that was launched runs from now on.
  void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out);
  /// A batch has ended, and tells what batches of its kind take on their worker. on_worker_free or
  /// on_batch_started follows.
  void on_batch_done(const BatchView& batch);
  /// The time asked for by wake_at.
  void on_timer(TimeNs now, Decisions& out);

  /// Visits that wait.
  std::size_t queued() const { return queued_; }

 private:
  /// Where a visit waits, so that it can be found by its id.
  struct Place {
    TimeNs deadline_ns = 0;
    int model = kNowhere;
  };
  /// A model's queues, and the strategy of it that comes first.
  struct Model {
    ModuleId module = 0;
    ModelStrategies strategies;
    ClockworkStrategy first;
    int sizes = 0;         ///< those below have not been passed over
    bool changed = false;  ///< `first` is out of date
  };

  static constexpr int kNowhere = -1;

  Model& model_of(ModuleId module);
  void enqueue(const Visit& visit);
  void leave(VisitId visit);
  void drop(VisitId visit, DropReason reason, Decisions& out);
  void settle(TimeNs now, Decisions& out);
  bool form_batch(TimeNs start_ns, WorkerId worker, Decisions& out);
  Model* first_model();
  bool comes_first(const Model& one, const Model& other) const;
  void expire(Model& model, TimeNs start_ns, Decisions& out);
  void launch(Model& model, int size, WorkerId worker, Decisions& out);
  void wake(TimeNs now, Decisions& out);

  ClockworkParams params_;
  TimeNs margin_ns_;
  TimeNs ahead_ns_;
  bool queues_behind_;
  std::vector<Model> models_;
  std::vector<int> model_of_;  ///< by module; kNowhere: not served here
  AvailableWorkers available_;
  std::vector<bool> draining_;  ///< by worker
  std::vector<Place> places_;   ///< by visit
  std::size_t queued_ = 0;
  TimeNs wake_ns_ = kNever;  ///< what on_timer is asked for
};

}  // namespace harness
