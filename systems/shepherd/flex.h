// FLEX, SHEPHERD's online serving algorithm for one group of GPUs (section 5.2, Algorithms 1 and 2).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "harness/core/params.h"
#include "harness/core/types.h"
#include "harness/serving/deadline_queue.h"
#include "harness/serving/visit.h"
#include "systems/shepherd/flex_batch.h"

namespace harness {

// FLEX's queues: one per model, in order of deadline (SHEPHERD, Algorithm 1, lines 2 and 3).

/// A model that FLEX serves.
struct FlexModel {
  ModuleId module = 0;
  const Profile* profile = nullptr;  ///< read in the constructor only
  int max_batch = 128;               ///< at most this many visits in a batch
};

/// The queues of all models. A model is named by its index in the list that the constructor gets.
class FlexQueues {
 public:
  FlexQueues(std::span<const FlexModel> models, FlexBatch rule, int max_batch) : rule_(rule) {
    for (const FlexModel& model : models) {
      const int cap = std::min({model.max_batch, max_batch, model.profile->max_batch()});
      queues_.push_back({DeadlineQueue<FlexVisit>(), FlexLatency(*model.profile, cap), 0});
    }
  }

  int models() const { return static_cast<int>(queues_.size()); }
  const FlexLatency& latency(int model) const { return at(model).latency; }
  std::span<const FlexVisit> visits(int model) const { return at(model).visits.visits(); }
  std::size_t size() const { return places_in_use_; }

  void insert(int model, const FlexVisit& visit) {
    Queue& queue = at(model);
    queue.visits.insert(visit);
    queue.most = queue.latency.cap();
    if (visit.id >= places_.size()) places_.resize(std::max<std::size_t>(visit.id + 1, 2 * places_.size()));
    places_[visit.id] = {visit.deadline_ns, model};
    ++places_in_use_;
    next_expiry_ns_ = std::min(next_expiry_ns_, visit.deadline_ns - queue.latency.least());
  }

  /// Forgets a visit. Returns false if it is not queued.
  bool erase(VisitId id) {
    if (id >= places_.size() || places_[id].model == kNowhere) return false;
    at(places_[id].model).visits.erase({places_[id].deadline_ns, id});
    leave(id);
    return true;
  }

  /// True if a visit due at `deadline_ns` must be late: no batch that it could be in ends by then.
  bool hopeless(int model, TimeNs deadline_ns, TimeNs now) const {
    return deadline_ns < now + latency(model).least();
  }

  /// Takes the hopeless visits out and calls drop(id) for each, model by model, in order of deadline. O(1)
  /// while no visit is hopeless.
  template <class Function>
  void expire(TimeNs now, Function drop) {
    if (now <= next_expiry_ns_) return;
    next_expiry_ns_ = std::numeric_limits<TimeNs>::max();
    for (Queue& queue : queues_) {
      const TimeNs least_ns = queue.latency.least();
      const std::span<const FlexVisit> visits = queue.visits.visits();
      const std::size_t count = first_due_from(visits, now + least_ns);
      for (const FlexVisit& visit : visits.first(count)) {
        leave(visit.id);
        drop(visit.id);
      }
      if (count > 0) queue.visits.erase(0, count);
      if (!queue.visits.empty()) {
        next_expiry_ns_ = std::min(next_expiry_ns_, queue.visits.front().deadline_ns - least_ns);
      }
    }
  }

  /// Returns the largest feasible batch of one model.
  FeasibleBatch largest(int model, TimeNs now) {
    Queue& queue = at(model);
    const FeasibleBatch batch = largest_batch(rule_, {queue.visits.visits(), {}}, queue.latency, now);
    queue.most = batch.size;
    return batch;
  }

  /// Returns false only if no batch of `need` visits or more is feasible. Exact if latencies grow with the
  /// batch size.
  bool may_have(int model, TimeNs now, int need) const {
    return need <= latency(model).cap() && may_fill({visits(model), {}}, latency(model), now, need);
  }

  /// Returns the largest feasible batch of the model's queue together with `running`, visits of the same
  /// model in order of deadline, if it has at least `need` visits; otherwise some smaller batch or an empty
  /// one.
  FeasibleBatch largest_with(int model, TimeNs now, std::span<const FlexVisit> running, int need) const {
    const MergedVisits merged{visits(model), running};
    if (need > latency(model).cap() || !may_fill(merged, latency(model), now, need)) return {};
    return largest_batch(rule_, merged, latency(model), now);
  }

  /// Returns the largest feasible batch of all models and sets `model` to its model, the first one if several
  /// have equally large batches. Looks again only at queues that could have the largest: with kSkip a queue's
  /// largest batch never grows without new visits.
  FeasibleBatch largest_of_all(TimeNs now, int& model) {
    if (rule_ == FlexBatch::kPrefix) forget_sizes();
    while (true) {
      model = most_promising();
      const int most = most_of(at(model));
      if (most == 0) return {};
      const FeasibleBatch batch = largest(model, now);
      if (batch.size == most) return batch;
    }
  }

  /// Moves a batch of the model's queue to the end of `out`.
  void take(int model, const FeasibleBatch& batch, std::vector<FlexVisit>& out) {
    const std::size_t first = first_due_from(visits(model), batch.from_ns);
    const auto count = static_cast<std::size_t>(batch.size);
    const std::span<const FlexVisit> taken = visits(model).subspan(first, count);
    out.insert(out.end(), taken.begin(), taken.end());
    remove(model, first, count);
  }
  /// Removes `count` visits of the model's queue, from position `first` on.
  void remove(int model, std::size_t first, std::size_t count) {
    for (const FlexVisit& visit : visits(model).subspan(first, count)) leave(visit.id);
    at(model).visits.erase(first, count);
  }

 private:
  static constexpr int kNowhere = -1;

  struct Queue {
    DeadlineQueue<FlexVisit> visits;
    FlexLatency latency;
    int most = 0;  ///< upper limit of the size of a feasible batch
  };
  /// The place of a visit, so that it can be found by its id.
  struct Place {
    TimeNs deadline_ns = 0;
    int model = kNowhere;
  };

  /// Forgets the limits of batch sizes: with kPrefix a batch may grow when earlier visits expire.
  void forget_sizes() {
    for (Queue& queue : queues_) queue.most = queue.latency.cap();
  }
  static int most_of(const Queue& queue) {
    return std::min(queue.most, static_cast<int>(queue.visits.size()));
  }
  int most_promising() const {
    int best = 0;
    for (int model = 1; model < models(); ++model) {
      if (most_of(at(model)) > most_of(at(best))) best = model;
    }
    return best;
  }
  Queue& at(int model) { return queues_[static_cast<std::size_t>(model)]; }
  const Queue& at(int model) const { return queues_[static_cast<std::size_t>(model)]; }
  void leave(VisitId id) {
    places_[id].model = kNowhere;
    --places_in_use_;
  }

  FlexBatch rule_;
  std::vector<Queue> queues_;
  std::vector<Place> places_;  ///< place of each visit, by id
  std::size_t places_in_use_ = 0;
  TimeNs next_expiry_ns_ = std::numeric_limits<TimeNs>::max();
};

// FLEX's decisions, as values.

/// One decision. `kind` says which fields count.
struct FlexDecision {
  enum class Kind : std::uint8_t {
    kStart,    ///< free `worker` runs a batch of `module`, with the visits that `first` and `count` name
    kPreempt,  ///< running batch of `worker` is to stop as soon as it can
    kDrop      ///< queued `visit` can no longer make its deadline
  };
  Kind kind = Kind::kStart;
  ModuleId module = 0;
  WorkerId worker = 0;
  VisitId visit = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// The decisions of one or several events, to be carried out in order. Allocates nothing when reused.
class FlexDecisions {
 public:
  std::span<const FlexDecision> list() const { return list_; }
  /// Returns the visits of a batch that starts, in order of deadline.
  std::span<const VisitId> visits(const FlexDecision& start) const {
    return std::span(visits_).subspan(start.first, start.count);
  }
  void clear() {
    list_.clear();
    visits_.clear();
  }

  /// Adds a start. `visits` is any range of values with an `id`.
  template <class Visits>
  void start(WorkerId worker, ModuleId module, const Visits& visits) {
    const auto first = static_cast<std::uint32_t>(visits_.size());
    for (const auto& visit : visits) visits_.push_back(visit.id);
    list_.push_back({FlexDecision::Kind::kStart, module, worker, 0, first,
                     static_cast<std::uint32_t>(visits_.size()) - first});
  }
  void preempt(WorkerId worker) { list_.push_back({FlexDecision::Kind::kPreempt, 0, worker, 0, 0, 0}); }
  void drop(VisitId visit) { list_.push_back({FlexDecision::Kind::kDrop, 0, 0, visit, 0, 0}); }

 private:
  std::vector<FlexDecision> list_;
  std::vector<VisitId> visits_;
};

// FLEX's parameters, each with its source.

/// The choice of the GPU that a candidate batch preempts when several run batches that are small enough.
enum class FlexTarget {
  kOrder,    ///< first such GPU, as Algorithm 1 loops over the GPUs
  kSmallest  ///< GPU with the smallest batch; the first if several are equal
};

struct FlexParams {
  double lambda = 1;
  FlexBatch batch = FlexBatch::kSkip;
  bool preempt = true;
  FlexTarget target = FlexTarget::kOrder;
  int max_batch = 128;

  /// Returns the threshold with so many GPUs (Theorems B.1 and B.3).
  double lambda_for(int gpus) const {
    if (lambda > 1) return lambda;
    return gpus <= 1 ? 2.38 : 3.03;
  }

  void list(ParamList& params) {
    params.number("lambda", lambda, 1, 128,
                  "a candidate preempts a batch that it is this many times as large as; 1: 2.38 for one GPU, "
                  "3.03 for several (SHEPHERD, Theorems B.1 and B.3)");
    params
        .choice("batch", batch, {"prefix", "skip"},
                "which visits make a batch: prefix, those from the earliest deadline on; skip, early ones "
                "that would make it smaller are left out")
        .reading();
    params.flag("preempt", preempt, "preempt running batches; off: the variant of SHEPHERD section 7.2");
    params
        .choice("target", target, {"order", "smallest"},
                "which GPU is preempted when several could be: order, the first; smallest, the one with the "
                "smallest batch")
        .reading();
    params.integer("max_batch", max_batch, 1, 1024, "most visits in a batch (SHEPHERD section 5.2)");
  }
};

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
