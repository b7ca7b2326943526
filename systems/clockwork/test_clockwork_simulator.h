// Workers in virtual time that do what a scheduler like CentralScheduler decides, and check every decision.
// For tests only: nothing but the events that it needs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/core/random.h"
#include "harness/serving/test_world.h"
#include "systems/clockwork/central_scheduler.h"

namespace harness {

struct ClockworkRequest {
  ModuleId module = 0;
  TimeNs arrival_ns = 0;
  TimeNs deadline_ns = 0;
};

/// Something else than arrivals that happens.
struct ClockworkIncident {
  enum class Kind { kAdded, kDraining, kLost, kCancelled };
  TimeNs at_ns = 0;
  Kind kind = Kind::kAdded;
  std::uint32_t subject = 0;  ///< worker, or kCancelled: the request, if it waits then
};

struct ClockworkWorld {
  std::vector<Profile> profiles;  ///< by module
  int workers = 1;
  ClockworkParams params;
  bool queues_behind = true;
  double jitter = 0;  ///< a batch takes up to this share less or more than the profile says
  bool keeps_log = false;
  std::vector<ClockworkIncident> incidents;
};

struct ClockworkOutcome {
  int in_time = 0;
  int late = 0;
  int dropped = 0;
  int cancelled = 0;
  int lost = 0;     ///< they ran on a worker that was lost
  int waiting = 0;  ///< at the end, without a worker
  int batches = 0;
  int behind = 0;               ///< batches that were launched behind another one
  TimeNs latest_end_ns = -1;    ///< the largest of end - (due - margin)
  std::vector<int> in_time_of;  ///< by module
  std::vector<int> served_of;   ///< by module: in time or late
  std::vector<int> batches_of;  ///< by module
  std::string log;
};

/// Events of one instant: batches end, then incidents, timers, arrivals in the order given.
template <class Central>
class ClockworkSimulator {
 public:
  ClockworkSimulator(const ClockworkWorld& world, std::vector<ClockworkRequest> requests)
      : world_(world),
        requests_(std::move(requests)),
        random_(1, "clockwork jitter"),
        central_(world.params, models(), world.queues_behind) {
    state_.assign(requests_.size(), State::kToCome);
    outcome_.in_time_of.assign(world.profiles.size(), 0);
    outcome_.served_of = outcome_.batches_of = outcome_.in_time_of;
    outcome_.latest_end_ns = std::numeric_limits<TimeNs>::min();
    for (std::uint32_t i = 0; i < requests_.size(); ++i) push(requests_[i].arrival_ns, kArrival, i);
    for (std::uint32_t i = 0; i < world_.incidents.size(); ++i) push(world_.incidents[i].at_ns, kIncident, i);
    for (int worker = 0; worker < world.workers; ++worker) add(static_cast<WorkerId>(worker));
  }

  ClockworkOutcome run() {
    while (!events_.empty() && !::testing::Test::HasFatalFailure()) {
      const auto [at_ns, kind, order, subject, batch] = events_.top();
      events_.pop();
      now_ = at_ns;
      if (kind == kEnd && workers_[subject].present && workers_[subject].batch == batch) end(subject);
      if (kind == kIncident) happen(world_.incidents[subject]);
      if (kind == kTimer && timer_ns_ == at_ns) on_timer();
      if (kind == kArrival) arrive(subject);
    }
    finish();
    return outcome_;
  }

 private:
  enum EventKind { kEnd, kIncident, kTimer, kArrival };
  enum class State { kToCome, kQueued, kJoined, kRunning, kEnded };
  using Event = std::tuple<TimeNs, EventKind, std::uint64_t, std::uint32_t, std::uint64_t>;

  struct Worker {
    bool present = false;
    bool draining = false;
    bool launched = false;
    std::vector<VisitId> forming;
    std::vector<VisitId> running;  ///< empty: idle
    TimeNs started_ns = 0;
    std::uint64_t batch = 0;
  };

  std::vector<ClockworkModel> models() const {
    std::vector<ClockworkModel> models;
    for (std::size_t m = 0; m < world_.profiles.size(); ++m) {
      const int cap = std::min(world_.params.max_batch, world_.profiles[m].max_batch());
      models.push_back({static_cast<ModuleId>(m), &world_.profiles[m], cap});
    }
    return models;
  }
  Visit visit_of(VisitId id) const {
    Visit visit;
    visit.id = id;
    visit.module = requests_[id].module;
    visit.deadline_ns = requests_[id].deadline_ns;
    return visit;
  }
  void push(TimeNs at_ns, EventKind kind, std::uint32_t subject, std::uint64_t batch = 0) {
    events_.push({at_ns, kind, order_++, subject, batch});
  }
  BatchView view_of(WorkerId worker) {
    const Worker& state = workers_[worker];
    members_.clear();
    for (const VisitId id : state.running) members_.push_back({id, 0, 0});
    return {worker, requests_[state.running.front()].module, state.started_ns, 0, members_};
  }

  void add(WorkerId worker) {
    if (worker >= workers_.size()) workers_.resize(worker + std::size_t{1});
    if (workers_[worker].present) return;
    workers_[worker] = {};
    workers_[worker].present = true;
    central_.on_worker_added(worker);
    central_.on_worker_free(now_, worker, out_);
    carry_out();
  }
  void arrive(VisitId id) {
    state_[id] = State::kQueued;
    central_.on_arrival(now_, visit_of(id), out_);
    carry_out();
  }
  void on_timer() {
    timer_ns_ = kNever;
    central_.on_timer(now_, out_);
    carry_out();
  }

  void end(WorkerId worker) {
    BatchView batch = view_of(worker);
    batch.ended_ns = now_;
    central_.on_batch_done(batch);
    for (const VisitId id : workers_[worker].running) {
      const ClockworkRequest& request = requests_[id];
      state_[id] = State::kEnded;
      ++outcome_.served_of[request.module];
      const bool in_time = now_ <= request.deadline_ns;
      in_time ? ++outcome_.in_time : ++outcome_.late;
      outcome_.in_time_of[request.module] += in_time ? 1 : 0;
      const TimeNs aim_ns = request.deadline_ns - ms_to_ns(world_.params.margin_ms);
      outcome_.latest_end_ns = std::max(outcome_.latest_end_ns, now_ - aim_ns);
    }
    workers_[worker].running.clear();
    if (workers_[worker].launched) {
      start(worker);
    } else if (workers_[worker].draining) {
      workers_[worker].present = false;
    } else {
      central_.on_worker_free(now_, worker, out_);
    }
    carry_out();
  }

  void happen(const ClockworkIncident& incident) {
    const WorkerId subject = incident.subject;
    if (incident.kind == ClockworkIncident::Kind::kAdded) return add(subject);
    if (incident.kind == ClockworkIncident::Kind::kCancelled) {
      if (state_[subject] != State::kQueued) return;
      state_[subject] = State::kEnded;
      ++outcome_.cancelled;
      return central_.on_cancelled(subject);
    }
    if (subject >= workers_.size() || !workers_[subject].present) return;
    Worker& worker = workers_[subject];
    if (incident.kind == ClockworkIncident::Kind::kDraining) {
      if (worker.draining) return;
      worker.draining = true;
      if (worker.running.empty()) worker.present = false;
      return central_.on_worker_draining(subject);
    }
    std::vector<Visit> back;
    for (const VisitId id : worker.forming) {
      state_[id] = State::kQueued;
      back.push_back(visit_of(id));
    }
    for (const VisitId id : worker.running) state_[id] = State::kEnded;
    outcome_.lost += static_cast<int>(worker.running.size());
    worker = {};
    central_.on_workers_lost(now_, {&subject, 1}, back, out_);
    carry_out();
  }

  void carry_out() {
    // A start calls the scheduler, which adds to the list.
    for (std::size_t i = 0; i < out_.list().size(); ++i) {
      const Decision decision = out_.list()[i];
      switch (decision.kind) {
        case Decision::Kind::kDrop:
          ASSERT_EQ(state_[decision.visit_or_first], State::kQueued) << "drops what does not wait";
          state_[decision.visit_or_first] = State::kEnded;
          ++outcome_.dropped;
          break;
        case Decision::Kind::kJoin:
          join(decision.worker_or_count, decision.visit_or_first);
          break;
        case Decision::Kind::kLaunch:
          launch(decision.worker_or_count);
          break;
        case Decision::Kind::kWakeAt:
          if (decision.at_ns >= timer_ns_) break;
          timer_ns_ = decision.at_ns;
          push(timer_ns_, kTimer, 0);
          break;
        default:
          FAIL() << "an unexpected decision";
      }
    }
    if (world_.keeps_log) note_decisions();
    out_.clear();
  }
  void note_decisions() {
    Decisions noted;
    for (const Decision& decision : out_.list()) {
      const VisitId visit = decision.visit_or_first;
      if (decision.kind == Decision::Kind::kDrop) noted.drop(visit, decision.reason);
      if (decision.kind == Decision::Kind::kJoin) noted.join(decision.worker_or_count, visit);
      if (decision.kind == Decision::Kind::kLaunch) noted.launch(decision.worker_or_count);
    }
    if (!noted.list().empty()) outcome_.log += std::to_string(now_) + ": " + text_of(noted) + "\n";
  }

  void join(WorkerId id, VisitId visit) {
    Worker& worker = workers_[id];
    ASSERT_TRUE(worker.present && !worker.draining && !worker.launched) << "worker " << id;
    ASSERT_EQ(state_[visit], State::kQueued) << "joins what does not wait";
    if (!worker.forming.empty()) {
      ASSERT_EQ(requests_[worker.forming.front()].module, requests_[visit].module);
    }
    state_[visit] = State::kJoined;
    worker.forming.push_back(visit);
  }
  void launch(WorkerId id) {
    Worker& worker = workers_[id];
    ASSERT_FALSE(worker.forming.empty());
    worker.launched = true;
    if (worker.running.empty()) return start(id);
    ++outcome_.behind;
    ASSERT_TRUE(world_.queues_behind);
  }
  void start(WorkerId id) {
    Worker& worker = workers_[id];
    worker.running.swap(worker.forming);
    worker.forming.clear();
    worker.launched = false;
    worker.started_ns = now_;
    worker.batch = ++batches_;
    for (const VisitId visit : worker.running) state_[visit] = State::kRunning;
    const ModuleId module = requests_[worker.running.front()].module;
    ++outcome_.batches;
    ++outcome_.batches_of[module];
    const TimeNs latency_ns = world_.profiles[module].latency(static_cast<int>(worker.running.size()));
    const double factor = world_.jitter == 0 ? 1 : 1 + world_.jitter * (2 * random_.uniform() - 1);
    const auto took_ns = static_cast<TimeNs>(static_cast<double>(latency_ns) * factor);
    push(now_ + (world_.jitter == 0 ? latency_ns : took_ns), kEnd, id, worker.batch);
    central_.on_batch_started(now_, view_of(id), out_);
  }

  void finish() {
    for (const State state : state_) {
      EXPECT_TRUE(state == State::kEnded || state == State::kQueued);
      if (state == State::kQueued) ++outcome_.waiting;
    }
    EXPECT_EQ(outcome_.in_time + outcome_.late + outcome_.dropped + outcome_.cancelled + outcome_.lost +
                  outcome_.waiting,
              static_cast<int>(requests_.size()));
  }

  ClockworkWorld world_;
  std::vector<ClockworkRequest> requests_;
  std::vector<State> state_;
  std::vector<Worker> workers_;
  std::vector<BatchVisit> members_;  ///< of the batch that is told of
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::uint64_t batches_ = 0;
  TimeNs now_ = 0;
  TimeNs timer_ns_ = kNever;
  RandomStream random_;
  Central central_;
  Decisions out_;
  ClockworkOutcome outcome_;
};

inline ClockworkOutcome simulate_clockwork(const ClockworkWorld& world,
                                           std::vector<ClockworkRequest> requests) {
  return ClockworkSimulator<CentralScheduler>(world, std::move(requests)).run();
}

}  // namespace harness
