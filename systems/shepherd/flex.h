// FLEX, SHEPHERD's online serving algorithm for one group of GPUs (section 5.2, Algorithms 1 and 2).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/visit.h"
#include "systems/shepherd/feasible_batch.h"
#include "systems/shepherd/flex_decision.h"
#include "systems/shepherd/flex_model.h"
#include "systems/shepherd/flex_params.h"
#include "systems/shepherd/flex_queues.h"
#include "systems/shepherd/flex_visit.h"

namespace harness {

/// The algorithm. It is fed with events and returns decisions; it has no clock. A free worker gets the
/// largest feasible batch over all models. After a visit has come, the largest feasible batch that any worker
/// could run in place of its own (own visits of the same model included) preempts that worker if it is at
/// least lambda times as large.
///
/// A preemption takes effect at an exit point, not at once. From the decision on, the candidate counts as the
/// worker's batch: its queued visits are held, so that no other worker takes them or is preempted for them
/// too, and only a batch lambda times as large replaces it. When the worker is free, because its batch was
/// preempted or had ended before, held and returned visits go back to their queues and the batch is formed
/// again: later arrivals join it, and visits that the delay has made hopeless do not shrink it. If preemption
/// takes no time, this is Algorithm 1.
///
/// Ties: of equally large batches, the batch of the model given first wins. Idle workers are served in order
/// of their ids, before any worker is preempted. Visits with equal deadlines are in order of arrival, a
/// preempted batch's visits last.
///
/// Cost with G workers, M models and Q visits queued of the model concerned (Theorem 5.3 counts M and Q as
/// constants): an arrival costs O(G log Q + log cap log Q), plus O(M) when it starts or preempts a batch; the
/// end or preemption of a batch costs O(M log cap log Q) at most, plus O(b log Q) for b visits that are given
/// back. Insertions also shift queued visits (DeadlineQueue). Nothing is allocated in steady state.
///
/// No timer is needed: a visit that becomes hopeless while it waits is dropped at the next event, and no
/// batch could start before that.
///
/// If preemptions take no time, a worker's batches grow by lambda each time, so that one ends after at most
/// log_lambda(cap) preemptions, and the bound of Theorem 5.2 holds. A delay voids both: a batch that could
/// have started only at the decision is lost together with the batch that was preempted for it.
class Flex {
 public:
  /// Needs at least one model and params.lambda >= 1. No decision is taken before a worker is added.
  Flex(const FlexParams& params, std::span<const FlexModel> models);

  void on_worker_added(TimeNs now, WorkerId worker, FlexDecisions& out);
  /// The worker runs its batch to its end or its exit, and gets no other.
  void on_worker_draining(TimeNs now, WorkerId worker, FlexDecisions& out);
  /// These workers are gone, together with what ran on them; a worker that has drained may be unknown
  /// already. `visits` are the visits of these workers that are queued again, possibly none.
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       FlexDecisions& out);
  void on_arrival(TimeNs now, const Visit& visit, FlexDecisions& out);
  /// A visit that does not run is cancelled.
  void on_cancelled(TimeNs now, VisitId visit, FlexDecisions& out);
  /// The worker's batch has ended, whether it was asked to stop or not; the worker is free.
  void on_completed(TimeNs now, WorkerId worker, FlexDecisions& out);
  /// The worker's batch has stopped because of a kPreempt; the worker is free. `visits` are queued again.
  void on_preempted(TimeNs now, WorkerId worker, std::span<const Visit> visits, FlexDecisions& out);

  /// Returns the number of queued visits, without held ones.
  std::size_t queued() const { return queues_.size(); }
  double lambda() const { return lambda_; }

 private:
  struct Worker {
    WorkerId id = 0;
    bool busy = false;
    bool stopping = false;  ///< the batch that runs was asked to stop; `batch` is the one to run next
    bool draining = false;
    int model = 0;
    std::vector<FlexVisit> batch;  ///< in order of deadline
  };
  /// A batch for a worker; its size is 0 if there is no batch.
  struct Candidate {
    std::size_t worker = 0;
    int model = 0;
    FeasibleBatch batch;
  };

  std::size_t index_of(WorkerId worker) const;
  int model_of(ModuleId module) const;
  void note_workers();
  void enqueue(TimeNs now, const Visit& visit, FlexDecisions& out);
  void touch(int model);
  void touch_all();
  void give_back_held(Worker& worker);
  void set_free(Worker& worker);
  void settle(TimeNs now, FlexDecisions& out);
  bool start_idle(TimeNs now, FlexDecisions& out);
  void preempt_for_touched(TimeNs now, FlexDecisions& out);
  Candidate find_candidate(TimeNs now);
  FeasibleBatch best_for(TimeNs now, const Worker& worker, int need, int& model);
  void hold(const Candidate& candidate, FlexDecisions& out);

  FlexParams params_;
  double lambda_ = 0;
  FlexQueues queues_;
  std::vector<ModuleId> modules_;  ///< module of each model
  std::vector<int> model_of_;      ///< model of each module; -1: not served here
  std::vector<Worker> workers_;    ///< in order of id
  std::vector<int> need_;     ///< least size of a candidate that preempts a batch, by the size of that batch
  std::vector<int> touched_;  ///< models that got visits in this event
  /// Largest batch of each model, within find_candidate(); size -1: not yet computed.
  std::vector<FeasibleBatch> largest_;
  std::vector<FlexVisit> next_;  ///< scratch of hold()
};

}  // namespace harness
