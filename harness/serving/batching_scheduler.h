// The part that batching systems share: it decides which worker a visit may join now, and when a batch is
// launched. A policy supplies what distinguishes a system: the order of the queue, and which visits are
// dropped.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/check.h"
#include "harness/serving/batch_slot.h"
#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/serving_params.h"

namespace harness {

/// Scheduler of a queue that serves one module with one or more workers.
///
/// With commit = early, visits join the forming batch from the start of the batch before it until the forming
/// batch is full or the worker falls free (PARD section 4.2). With commit = late, visits join only when a
/// worker is free. A free worker does not wait for more visits, unless the policy says so (`waits`). A slot
/// of a shared server and a thread have no batches to form, so they commit late. If there are several
/// workers, the forming batch that is expected to start first is filled first.
///
/// A policy provides:
/// - `void on_plan(TimeNs now, const ModulePlan&)`, or with the whole `const Plan&`
/// - `void start(TimeNs now, Decisions&)`: is called once, after the first on_plan (first timer)
/// - `bool admit(TimeNs now, const Visit&, Decisions&)`: optional; is called when a visit has arrived.
///   Returns false if it has dropped the visit, which is then not pushed
/// - `void push(TimeNs now, const Visit&)`: is called when a visit has arrived
/// - `bool erase(VisitId)`: is called when a queued visit is gone; returns false if it is not in the queue
/// - `bool empty() const`
/// - `int fill(TimeNs now, const BatchSlot&, Decisions&)`: joins at most slot.room visits and may drop
///   others; returns the number of joins
/// - `int fill_with(TimeNs now, const Visit&, const BatchSlot&, Decisions&)`: optional, for speed; does what
///   push and then fill would do with a visit that finds the queue empty. A policy with start_at must not
///   have it
/// - `int batch_limit() const`: optional; no batch grows beyond it, nor beyond the planned maximum batch size
/// - `void on_started(TimeNs now, const BatchView&)`, `void on_done(TimeNs now, const BatchView&)`
/// - `void on_state(TimeNs now, ModuleId, std::span<const double>)`, `void on_timer(TimeNs now, Decisions&)`
///
/// Optional:
/// - `bool waits() const` and `TimeNs start_at(TimeNs now, int room, Decisions&)`: if the policy waits,
///   commit is late, and a free worker serves the queued visits only from start_at() on; start_at may drop
///   visits
/// - `void on_workers(int)`: is told how many workers serve, whenever that changes
/// - `void on_lost(WorkerId)`: the worker is lost, and what the policy joined to it will not be done there;
///   comes before put_back
/// - `void on_gone(WorkerId)`: the draining worker has run what it had and has left
/// - `void put_back(TimeNs now, const Visit&)`: puts a visit that had joined a lost worker's forming batch
///   into the queue again, before the visits that came after it; is called for the last to join first.
///   Without put_back such visits are pushed again, the first to join first
template <class Policy>
class BatchingScheduler final : public Scheduler {
 public:
  template <class... Args>
  BatchingScheduler(const ServingContext& context, ModuleId module, Args&&... args)
      : module_(module),
        early_(context.serving.commit == Commit::kEarly &&
               context.profiles[module]->service == Service::kBatch),
        policy_(std::forward<Args>(args)...) {
    if (waits()) early_ = false;
  }

  void on_plan(TimeNs now, const Plan& plan, Decisions& out) override {
    max_batch_ = plan.modules[module_].max_batch;
    if constexpr (requires(Policy policy) { policy.on_plan(now, plan); }) {
      policy_.on_plan(now, plan);
    } else {
      policy_.on_plan(now, plan.modules[module_]);
    }
    if (!started_) policy_.start(now, out);
    started_ = true;
    serve_waiting(now, out);
  }

  void on_worker_added(TimeNs, WorkerId worker, Decisions&) override {
    workers_.push_back({worker});
    count_workers();
  }

  void on_worker_draining(TimeNs, WorkerId worker, Decisions& out) override {
    Worker& state = find(worker);
    state.draining = true;
    if (state.forming > 0) launch(state, out);
    forget_if_gone(state);
    count_workers();
  }

  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override {
    for (const WorkerId worker : workers) {
      workers_.erase(find(worker));
      if constexpr (requires(Policy policy) { policy.on_lost(worker); }) policy_.on_lost(worker);
    }
    count_workers();
    put_back(now, visits);
    while (!policy_.empty()) {
      Worker* const open = open_worker(now);
      if (open == nullptr || fill(now, *open, out) == 0) return;
    }
  }

  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override {
    if constexpr (requires(Policy policy) { policy.admit(now, visit, out); }) {
      if (!policy_.admit(now, visit, out)) return;
    }
    if constexpr (requires(Policy policy, BatchSlot slot) { policy.fill_with(now, visit, slot, out); }) {
      static_assert(
          !requires(Policy policy) { policy.start_at(now, 1, out); }, "fill_with waits for nothing");
      if (policy_.empty()) {
        if (Worker* const worker = open_worker(now)) {
          grow(*worker, policy_.fill_with(now, visit, slot_of(*worker, now), out), out);
          return;
        }
      }
    }
    policy_.push(now, visit);
    if (Worker* const worker = open_worker(now)) fill(now, *worker, out);
  }

  void on_cancelled(TimeNs, VisitId visit, Decisions&) override {
    HARNESS_CHECK(policy_.erase(visit), "a cancelled visit is not in the queue");
  }

  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) override {
    Worker& state = find(worker);
    state.busy = false;
    if (!state.draining) fill(now, state, out);
  }

  void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) override {
    Worker& state = find(batch.worker);
    state.busy = true;
    state.full = false;
    state.forming = 0;
    state.expected_end_ns = batch.expected_end_ns;
    policy_.on_started(now, batch);
    if (early_ && !state.draining) fill(now, state, out);
  }

  void on_batch_done(TimeNs now, const BatchView& batch, Decisions&) override {
    policy_.on_done(now, batch);
    Worker& state = find(batch.worker);
    if (!state.draining) return;
    state.busy = state.forming > 0;  // a launched batch starts next
    forget_if_gone(state);
  }

  void on_state(TimeNs now, ModuleId module, std::span<const double> state, Decisions&) override {
    policy_.on_state(now, module, state);
  }

  void on_timer(TimeNs now, Decisions& out) override {
    policy_.on_timer(now, out);
    serve_waiting(now, out);
  }

 private:
  struct Worker {
    WorkerId id = 0;
    int forming = 0;
    bool busy = false;  ///< true if it runs a batch, or has launched one
    bool draining = false;
    bool full = false;  ///< true if its forming batch is full, whatever a new plan allows
    TimeNs expected_end_ns = 0;
  };

  /// The workers in order of arrival. Most queues have one worker, which lies in `only_`, beside the other
  /// data that an arrival touches.
  class WorkerList {
   public:
    std::size_t size() const { return size_; }
    Worker& front() { return *begin(); }
    Worker* begin() { return size_ == 1 ? &only_ : many_.data(); }
    Worker* end() { return begin() + size_; }
    void push_back(const Worker& worker) {
      if (size_ == 1) many_.assign(1, only_);
      if (size_ == 0) {
        only_ = worker;
      } else {
        many_.push_back(worker);
      }
      ++size_;
    }
    void erase(const Worker& worker) {
      if (size_ > 1) many_.erase(many_.begin() + (&worker - many_.data()));
      if (--size_ == 1) only_ = many_.front();
    }

   private:
    std::uint32_t size_ = 0;
    Worker only_;
    std::vector<Worker> many_;  ///< all workers, if there are several; otherwise stale
  };

  bool waits() const {
    if constexpr (requires(const Policy policy) { policy.waits(); }) return policy_.waits();
    return false;
  }

  /// Lets the free workers that wait for more visits look at the queue again.
  void serve_waiting(TimeNs now, Decisions& out) {
    if (!waits()) return;
    for (Worker& worker : workers_) {
      if (!worker.busy && !worker.draining) fill(now, worker, out);
    }
  }

  Worker& find(WorkerId id) {
    if (workers_.size() == 1) return workers_.front();
    return *std::find_if(workers_.begin(), workers_.end(),
                         [id](const Worker& worker) { return worker.id == id; });
  }

  void forget_if_gone(Worker& worker) {
    if (!worker.draining || worker.busy) return;
    if constexpr (requires(Policy policy) { policy.on_gone(worker.id); }) policy_.on_gone(worker.id);
    workers_.erase(worker);
  }

  void count_workers() {
    if constexpr (requires(Policy policy) { policy.on_workers(1); }) {
      policy_.on_workers(static_cast<int>(std::count_if(
          workers_.begin(), workers_.end(), [](const Worker& worker) { return !worker.draining; })));
    }
  }

  void put_back(TimeNs now, std::span<const Visit> visits) {
    if constexpr (requires(Policy policy, Visit visit) { policy.put_back(now, visit); }) {
      for (auto visit = visits.rbegin(); visit != visits.rend(); ++visit) policy_.put_back(now, *visit);
    } else {
      for (const Visit& visit : visits) policy_.push(now, visit);
    }
  }

  int limit() const {
    if constexpr (requires(const Policy policy) { policy.batch_limit(); }) {
      return std::min(max_batch_, policy_.batch_limit());
    }
    return max_batch_;
  }

  int room_of(const Worker& worker) const { return worker.full ? 0 : limit() - worker.forming; }

  /// Returns the worker whose next batch has room and is expected to start first, or null if there is no such
  /// worker. If two would start now, a free one is preferred: the other's batch is overdue.
  Worker* open_worker(TimeNs now) {
    const auto is_open = [this](const Worker& worker) {
      return !worker.draining && room_of(worker) > 0 && (!worker.busy || early_);
    };
    if (workers_.size() == 1) return is_open(workers_.front()) ? &workers_.front() : nullptr;
    Worker* best = nullptr;
    for (Worker& worker : workers_) {
      if (!is_open(worker)) continue;
      if (best == nullptr || starts_before(worker, *best, now)) best = &worker;
    }
    return best;
  }

  static bool starts_before(const Worker& one, const Worker& other, TimeNs now) {
    const TimeNs start = start_of(one, now);
    const TimeNs other_start = start_of(other, now);
    return start < other_start || (start == other_start && !one.busy && other.busy);
  }

  static TimeNs start_of(const Worker& worker, TimeNs now) {
    return worker.busy ? std::max(now, worker.expected_end_ns) : now;
  }

  /// Lets the policy fill the worker's forming batch, unless the policy waits, and launches the batch if the
  /// worker is free. Returns the number of joins.
  int fill(TimeNs now, Worker& worker, Decisions& out) {
    const int room = room_of(worker);
    if constexpr (requires(Policy policy) { policy.start_at(now, room, out); }) {
      if (policy_.waits() && room > 0 && !policy_.empty()) {
        const TimeNs at_ns = policy_.start_at(now, room, out);
        if (at_ns > now) {
          out.wake_at(at_ns);
          return 0;
        }
      }
    }
    if (room > 0 && !policy_.empty()) return grow(worker, policy_.fill(now, slot_of(worker, now), out), out);
    if (!worker.busy && worker.forming > 0) launch(worker, out);
    return 0;
  }

  BatchSlot slot_of(const Worker& worker, TimeNs now) const {
    return {worker.id, start_of(worker, now), worker.forming, room_of(worker)};
  }

  /// Notes that `joined` visits have joined the worker's forming batch; returns their number.
  int grow(Worker& worker, int joined, Decisions& out) {
    worker.forming += joined;
    worker.full = worker.forming >= max_batch_;
    if (!worker.busy && worker.forming > 0) launch(worker, out);
    return joined;
  }

  void launch(Worker& worker, Decisions& out) {
    out.launch(worker.id);
    worker.busy = true;
  }

  ModuleId module_;
  bool early_;
  bool started_ = false;
  int max_batch_ = 1;
  WorkerList workers_;
  Policy policy_;
};

}  // namespace harness
