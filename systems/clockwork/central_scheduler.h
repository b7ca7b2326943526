// Clockwork's controller over one set of workers and models (OSDI'20; SHEPHERD, section 7).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/ranked_heap.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/visit.h"
#include "systems/clockwork/model_strategies.h"

namespace harness {

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
  std::vector<int> model_of_;     ///< by module; kNowhere: not served here
  RankedHeap<TimeNs> available_;  ///< workers that may get a batch, by when they are free
  std::vector<bool> draining_;    ///< by worker
  std::vector<Place> places_;     ///< by visit
  std::size_t queued_ = 0;
  TimeNs wake_ns_ = kNever;  ///< what on_timer is asked for
};

}  // namespace harness
