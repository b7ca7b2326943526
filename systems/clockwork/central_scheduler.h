// Clockwork's controller over one set of workers and models (OSDI'20; SHEPHERD, section 7).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"
#include "harness/serving/decision.h"
#include "harness/serving/ranked_heap.h"
#include "harness/serving/visit.h"
#include "systems/clockwork/clockwork_model.h"
#include "systems/clockwork/clockwork_params.h"
#include "systems/clockwork/model_strategies.h"

namespace harness {

/// The algorithm. It is fed with events and adds to a list of decisions; it has no clock and knows no engine.
///
/// A strategy is a model with a batch size. It must start at its first visit's deadline less the margin and
/// the estimate. Whenever a worker is expected to be free within the schedule-ahead, the strategy that must
/// start first has its turn: visits that would end late if started when the worker is free leave the model's
/// queues, and the model's largest batch that can be filled runs if it is at least the strategy's. If not,
/// the model's strategies of this and larger sizes are passed over, and the next strategy has its turn.
/// Visits that no batch could serve in time are dropped at their model's turn (kEstimatedLate); so are
/// overtaken visits (kEarlyDrop).
///
/// A worker has at most one batch behind the one that it runs. The worker that is free first gets the next
/// batch; idle ones come first, in order of their ids. No visit joins a batch that would end, by the
/// estimates, later than the margin before its deadline.
///
/// Cost with G workers, M models, S sizes and Q visits queued of a model: an arrival costs O(log Q + S) while
/// every worker has enough to do; a batch that is formed costs O(log G + M + k S log Q), if k of the models
/// have been looked at or got visits since the last one. Insertions also shift queued visits (DeadlineQueue).
/// Nothing is allocated in steady state.
class CentralScheduler {
 public:
  /// Needs at least one model. With `queues_behind` busy workers get batches too; otherwise only free ones
  /// do.
  CentralScheduler(const ClockworkParams& params, std::span<const ClockworkModel> models, bool queues_behind);

  /// Adds a worker. on_worker_free() follows.
  void on_worker_added(WorkerId worker);
  /// The worker has nothing to run.
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out);
  /// The worker gets no further batch.
  void on_worker_draining(WorkerId worker);
  /// These workers are gone. `visits`, which had joined their batches, wait again.
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out);
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out);
  void on_cancelled(VisitId visit);
  /// A batch that was launched runs from now on.
  void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out);
  /// A batch has ended. Its duration counts in the estimate for its model and size. on_worker_free() or
  /// on_batch_started() follows.
  void on_batch_done(const BatchView& batch);
  /// The time set by wake_at() has come.
  void on_timer(TimeNs now, Decisions& out);

  /// Returns the number of visits that wait.
  std::size_t queued() const { return queued_; }

 private:
  /// The place of a waiting visit, so that it can be found by its id.
  struct Place {
    TimeNs deadline_ns = 0;
    int model = kNowhere;
  };
  /// A model's queues, and its strategy that comes first.
  struct Model {
    ModuleId module = 0;
    ModelStrategies strategies;
    ModelStrategies::Strategy first;
    int sizes = 0;         ///< number of the smallest sizes that have not been passed over
    bool changed = false;  ///< true if `first` is out of date
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
  std::vector<int> model_of_;     ///< index of each module's model; kNowhere: not served here
  RankedHeap<TimeNs> available_;  ///< workers that may get a batch, by the time at which they are free
  std::vector<bool> draining_;    ///< true for workers that drain
  std::vector<Place> places_;     ///< place of each visit
  std::size_t queued_ = 0;
  TimeNs wake_ns_ = kNever;  ///< earliest time set by wake_at() and not yet come
};

}  // namespace harness
