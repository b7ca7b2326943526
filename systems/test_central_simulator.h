// Workers in virtual time that carry out the decisions of one scheduler over all of them, and check every
// decision. For tests only: it has only the events that such a scheduler needs.
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

#include "harness/core/random_stream.h"
#include "harness/serving/test_world.h"

namespace harness {

struct CentralRequest {
  ModuleId module = 0;
  TimeNs arrival_ns = 0;
  TimeNs deadline_ns = 0;
};

/// An event other than an arrival.
struct CentralIncident {
  enum class Kind { kAdded, kDraining, kLost, kCancelled };
  TimeNs at_ns = 0;
  Kind kind = Kind::kAdded;
  std::uint32_t subject = 0;  ///< worker; for kCancelled the request, if it waits then
};

struct CentralWorld {
  std::vector<Profile> profiles;  ///< profile of each module
  int workers = 1;                ///< number of workers at the beginning
  bool queues_behind = true;      ///< true if a batch may be launched behind one that runs
  double jitter = 0;              ///< largest share by which a batch takes less or more than the profile says
  std::vector<CentralIncident> incidents;
};

struct CentralOutcome {
  int in_time = 0;
  int late = 0;
  int dropped = 0;
  int cancelled = 0;
  int lost = 0;     ///< number of requests that ran on a worker that was lost
  int waiting = 0;  ///< number of requests left at the end, without a worker
  int batches = 0;
  int behind = 0;               ///< number of batches that were launched behind another one
  TimeNs latest_ns = -1;        ///< largest end - deadline
  std::vector<int> in_time_of;  ///< number of requests in time, by module
  std::vector<int> served_of;   ///< number of requests in time or late, by module
  std::vector<int> batches_of;  ///< number of batches, by module
  std::string log;  ///< the decisions: a line for successive ones about one worker, and for each drop
};

/// Returns latencies in whole milliseconds, so that ties are common; they need not grow with the batch.
inline Profile random_profile(RandomStream& random) {
  std::vector<double> latencies;
  const auto sizes = static_cast<int>(1 + random.below(8));
  const auto fixed = static_cast<double>(1 + random.below(20));
  for (int b = 1; b <= sizes; ++b) latencies.push_back(fixed + b * 2 + static_cast<double>(random.below(4)));
  return profile_of_ms(latencies);
}

/// Returns requests in bursts, with deadlines in whole milliseconds, in no order. One in `every` requests
/// comes up to `gap_ms` after the one before.
inline std::vector<CentralRequest> random_requests(RandomStream& random, std::size_t models, int count,
                                                   std::uint64_t every, std::uint64_t gap_ms) {
  std::vector<CentralRequest> requests;
  TimeNs at_ns = 0;
  for (int i = 0; i < count; ++i) {
    if (random.below(every) == 0) at_ns += static_cast<TimeNs>(random.below(gap_ms)) * kMs;
    const auto slack_ns = static_cast<TimeNs>(5 + random.below(80)) * kMs;
    requests.push_back({static_cast<ModuleId>(random.below(models)), at_ns, at_ns + slack_ns});
  }
  return requests;
}

/// Returns eight incidents in 300 ms, to three workers and so many requests.
inline std::vector<CentralIncident> random_incidents(RandomStream& random, std::uint64_t requests) {
  std::vector<CentralIncident> incidents;
  for (int i = 0; i < 8; ++i) {
    const auto kind = static_cast<CentralIncident::Kind>(random.below(4));
    const std::uint64_t subjects = kind == CentralIncident::Kind::kCancelled ? requests : 3;
    incidents.push_back({static_cast<TimeNs>(random.below(300)) * kMs, kind,
                         static_cast<std::uint32_t>(random.below(subjects))});
  }
  return incidents;
}

/// Runs the events of one instant in this order: batches end, then incidents, timers, arrivals in the order
/// given. `Scheduling` has the functions of Scheduler that it needs.
template <class Scheduling>
class CentralSimulator {
 public:
  CentralSimulator(const CentralWorld& world, std::vector<CentralRequest> requests, Scheduling& scheduler)
      : world_(world), requests_(std::move(requests)), random_(1, "central jitter"), scheduler_(scheduler) {
    state_.assign(requests_.size(), State::kToCome);
    outcome_.in_time_of.assign(world.profiles.size(), 0);
    outcome_.served_of = outcome_.batches_of = outcome_.in_time_of;
    outcome_.latest_ns = std::numeric_limits<TimeNs>::min();
    for (std::uint32_t i = 0; i < requests_.size(); ++i) push(requests_[i].arrival_ns, kArrival, i);
    for (std::uint32_t i = 0; i < world_.incidents.size(); ++i) push(world_.incidents[i].at_ns, kIncident, i);
    for (int worker = 0; worker < world.workers; ++worker) add(static_cast<WorkerId>(worker));
  }

  CentralOutcome run() {
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
    if constexpr (requires { scheduler_.on_worker_added(worker); }) scheduler_.on_worker_added(worker);
    scheduler_.on_worker_free(now_, worker, out_);
    carry_out();
  }
  void arrive(VisitId id) {
    state_[id] = State::kQueued;
    scheduler_.on_arrival(now_, visit_of(id), out_);
    carry_out();
  }
  void on_timer() {
    timer_ns_ = kNever;
    scheduler_.on_timer(now_, out_);
    carry_out();
  }

  void end(WorkerId worker) {
    BatchView batch = view_of(worker);
    batch.ended_ns = now_;
    if constexpr (requires { scheduler_.on_batch_done(batch); }) scheduler_.on_batch_done(batch);
    for (const VisitId id : workers_[worker].running) {
      const CentralRequest& request = requests_[id];
      state_[id] = State::kEnded;
      ++outcome_.served_of[request.module];
      const bool in_time = now_ <= request.deadline_ns;
      in_time ? ++outcome_.in_time : ++outcome_.late;
      outcome_.in_time_of[request.module] += in_time ? 1 : 0;
      outcome_.latest_ns = std::max(outcome_.latest_ns, now_ - request.deadline_ns);
    }
    workers_[worker].running.clear();
    if (workers_[worker].launched) {
      start(worker);
    } else if (workers_[worker].draining) {
      workers_[worker].present = false;
    } else {
      scheduler_.on_worker_free(now_, worker, out_);
    }
    carry_out();
  }

  void happen(const CentralIncident& incident) {
    const WorkerId subject = incident.subject;
    if (incident.kind == CentralIncident::Kind::kAdded) return add(subject);
    if (incident.kind == CentralIncident::Kind::kCancelled) {
      if (state_[subject] != State::kQueued) return;
      state_[subject] = State::kEnded;
      ++outcome_.cancelled;
      if constexpr (requires { scheduler_.on_cancelled(subject); })
        return scheduler_.on_cancelled(subject);
      else
        scheduler_.on_cancelled(now_, subject, out_);
      return carry_out();
    }
    if (subject >= workers_.size() || !workers_[subject].present) return;
    Worker& worker = workers_[subject];
    if (incident.kind == CentralIncident::Kind::kDraining) {
      if (worker.draining) return;
      worker.draining = true;
      if (worker.running.empty()) worker.present = false;
      return scheduler_.on_worker_draining(subject);
    }
    std::vector<Visit> back;
    for (const VisitId id : worker.forming) {
      state_[id] = State::kQueued;
      back.push_back(visit_of(id));
    }
    for (const VisitId id : worker.running) state_[id] = State::kEnded;
    outcome_.lost += static_cast<int>(worker.running.size());
    worker = {};
    scheduler_.on_workers_lost(now_, {&subject, 1}, back, out_);
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
    note_decisions();
    out_.clear();
  }
  void note_decisions() {
    std::string joined;
    WorkerId worker = kNone;
    for (const Decision& decision : out_.list()) {
      const bool launches = decision.kind == Decision::Kind::kLaunch;
      const bool joins = decision.kind == Decision::Kind::kJoin;
      if (!joined.empty() && !((launches || joins) && decision.worker_or_count == worker)) {
        note("worker " + std::to_string(worker) + " takes" + std::exchange(joined, ""));
      }
      if (launches || joins) worker = decision.worker_or_count;
      if (joins) joined += " " + std::to_string(decision.visit_or_first);
      if (launches) note("worker " + std::to_string(worker) + " runs" + std::exchange(joined, ""));
      if (decision.kind == Decision::Kind::kDrop)
        note("drop " + std::to_string(decision.visit_or_first) + " " + name_of(decision.reason));
    }
    if (!joined.empty()) note("worker " + std::to_string(worker) + " takes" + joined);
  }
  /// Logs it with the time in ms, and the ns by which that is more than whole us.
  void note(const std::string& what) {
    const TimeNs rest_ns = now_ % 1000;
    std::string time = std::to_string(ns_to_ms(now_ - rest_ns));
    time.erase(time.find_last_not_of('0') + 1);
    if (time.back() == '.') time.pop_back();
    outcome_.log += time + (rest_ns > 0 ? "+" + std::to_string(rest_ns) : "") + ": " + what + "\n";
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
    if constexpr (requires { scheduler_.on_batch_started(now_, view_of(id), out_); })
      scheduler_.on_batch_started(now_, view_of(id), out_);
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

  CentralWorld world_;
  std::vector<CentralRequest> requests_;
  std::vector<State> state_;
  std::vector<Worker> workers_;
  std::vector<BatchVisit> members_;  ///< visits of the batch in the latest view_of()
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::uint64_t batches_ = 0;
  TimeNs now_ = 0;
  TimeNs timer_ns_ = kNever;
  RandomStream random_;
  Scheduling& scheduler_;
  Decisions out_;
  CentralOutcome outcome_;
};

}  // namespace harness
