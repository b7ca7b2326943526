// Workers in virtual time that do what a scheduler like DeferredScheduler decides, and check every decision.
// For tests only: nothing but the events that it needs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/core/random.h"
#include "harness/serving/test_world.h"
#include "systems/symphony/deferred_scheduler.h"

namespace harness {

struct SymphonyRequest {
  ModuleId module = 0;
  TimeNs arrival_ns = 0;
  TimeNs deadline_ns = 0;
};

/// Something else than arrivals that happens.
struct SymphonyIncident {
  enum class Kind { kAdded, kLost, kCancelled };
  TimeNs at_ns = 0;
  Kind kind = Kind::kAdded;
  std::uint32_t subject = 0;  ///< worker, or kCancelled: the request, if it waits then
};

struct SymphonyWorld {
  std::vector<Profile> profiles;  ///< by module
  TimeNs slo_ns = 0;              ///< for the target
  SymphonyParams params;
  double jitter = 0;  ///< a batch takes up to this share less or more than the profile says
  std::vector<SymphonyIncident> incidents;  ///< workers are there once they have been added
};

struct SymphonyOutcome {
  int in_time = 0;
  int late = 0;
  int dropped = 0;
  int left = 0;     ///< cancelled, lost with a worker, or waiting at the end
  std::string log;  ///< a line for each batch and each drop
};

/// Events of one instant: batches end, then incidents, timers, arrivals in the order given.
template <class Scheduling>
class SymphonySimulator {
 public:
  SymphonySimulator(const SymphonyWorld& world, std::vector<SymphonyRequest> requests)
      : world_(world),
        requests_(std::move(requests)),
        random_(1, "symphony jitter"),
        scheduler_(world.params, models()) {
    state_.assign(requests_.size(), State::kToCome);
    for (std::uint32_t i = 0; i < requests_.size(); ++i) push(requests_[i].arrival_ns, kArrival, i);
    for (std::uint32_t i = 0; i < world_.incidents.size(); ++i) push(world_.incidents[i].at_ns, kIncident, i);
  }

  SymphonyOutcome run() {
    while (!events_.empty() && !::testing::Test::HasFatalFailure()) {
      const auto [at_ns, kind, order, subject, batch] = events_.top();
      events_.pop();
      now_ = at_ns;
      if (kind == kEnd && workers_[subject].present && workers_[subject].batch == batch) end(subject);
      if (kind == kIncident) happen(world_.incidents[subject]);
      if (kind == kTimer && timer_ns_ == at_ns) {
        timer_ns_ = kNever;
        scheduler_.on_timer(now_, out_);
      }
      if (kind == kArrival) {
        state_[subject] = State::kQueued;
        scheduler_.on_arrival(now_, visit_of(subject), out_);
      }
      carry_out();
    }
    outcome_.left = static_cast<int>(requests_.size()) - outcome_.in_time - outcome_.late - outcome_.dropped;
    return outcome_;
  }

 private:
  enum EventKind { kEnd, kIncident, kTimer, kArrival };
  enum class State { kToCome, kQueued, kRunning, kEnded };
  using Event = std::tuple<TimeNs, EventKind, std::uint64_t, std::uint32_t, std::uint64_t>;

  struct Worker {
    bool present = false;
    std::vector<VisitId> running;  ///< empty: idle
    std::uint64_t batch = 0;
  };

  std::vector<SymphonyModel> models() const {
    std::vector<SymphonyModel> models;
    for (const Profile& profile : world_.profiles) {
      models.push_back({static_cast<ModuleId>(models.size()), &profile, profile.max_batch(), world_.slo_ns});
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

  void end(WorkerId worker) {
    for (const VisitId id : workers_[worker].running) {
      state_[id] = State::kEnded;
      ++(now_ <= requests_[id].deadline_ns ? outcome_.in_time : outcome_.late);
    }
    workers_[worker].running.clear();
    scheduler_.on_worker_free(now_, worker, out_);
  }

  void happen(const SymphonyIncident& incident) {
    const std::uint32_t subject = incident.subject;
    if (incident.kind == SymphonyIncident::Kind::kCancelled) {
      if (state_[subject] != State::kQueued) return;
      state_[subject] = State::kEnded;
      return scheduler_.on_cancelled(now_, subject, out_);
    }
    if (subject >= workers_.size()) workers_.resize(subject + std::size_t{1});
    Worker& worker = workers_[subject];
    if (worker.present == (incident.kind == SymphonyIncident::Kind::kAdded)) return;
    worker.present = !worker.present;
    if (worker.present) return scheduler_.on_worker_free(now_, subject, out_);
    worker.running.clear();
    worker.batch = 0;
    scheduler_.on_workers_lost(now_, {&subject, 1}, {}, out_);
  }

  void carry_out() {
    for (const Decision& decision : out_.list()) {
      if (decision.kind == Decision::Kind::kWakeAt && decision.at_ns < timer_ns_) {
        timer_ns_ = decision.at_ns;
        push(timer_ns_, kTimer, 0);
      } else if (decision.kind == Decision::Kind::kDrop) {
        ASSERT_EQ(state_[decision.visit_or_first], State::kQueued) << "drops what does not wait";
        state_[decision.visit_or_first] = State::kEnded;
        ++outcome_.dropped;
        note("drop " + std::to_string(decision.visit_or_first) + " " + name_of(decision.reason));
      } else if (decision.kind == Decision::Kind::kJoin) {
        join(decision.worker_or_count, decision.visit_or_first);
      } else if (decision.kind == Decision::Kind::kLaunch) {
        start(decision.worker_or_count);
      }
    }
    out_.clear();
  }
  void join(WorkerId worker, VisitId visit) {
    ASSERT_TRUE(workers_.at(worker).present && workers_[worker].running.empty()) << "worker " << worker;
    ASSERT_EQ(state_[visit], State::kQueued) << "joins what does not wait";
    if (!forming_.empty()) {
      ASSERT_EQ(requests_[forming_.front()].module, requests_[visit].module);
    }
    state_[visit] = State::kRunning;
    forming_.push_back(visit);
  }
  void start(WorkerId id) {
    Worker& worker = workers_[id];
    worker.running.swap(forming_);
    forming_.clear();
    worker.batch = ++batches_;
    const Profile& profile = world_.profiles[requests_[worker.running.front()].module];
    const TimeNs latency_ns = profile.latency(static_cast<int>(worker.running.size()));
    const double factor = 1 + world_.jitter * (2 * random_.uniform() - 1);
    push(now_ + static_cast<TimeNs>(static_cast<double>(latency_ns) * factor), kEnd, id, worker.batch);
    std::string text = "worker " + std::to_string(id) + " runs";
    for (const VisitId visit : worker.running) text += " " + std::to_string(visit);
    note(text);
  }
  /// With the time in ms, where a nanosecond after a whole microsecond is a plus.
  void note(const std::string& what) {
    std::string time = std::to_string(ns_to_ms(now_ - now_ % 1000));
    time.erase(time.find_last_not_of('0') + 1);
    if (time.back() == '.') time.pop_back();
    outcome_.log += time + (now_ % 1000 == 1 ? "+" : "") + ": " + what + "\n";
  }

  SymphonyWorld world_;
  std::vector<SymphonyRequest> requests_;
  std::vector<State> state_;
  std::vector<Worker> workers_;
  std::vector<VisitId> forming_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::uint64_t batches_ = 0;
  TimeNs now_ = 0;
  TimeNs timer_ns_ = kNever;
  RandomStream random_;
  Scheduling scheduler_;
  Decisions out_;
  SymphonyOutcome outcome_;
};

/// So many workers from the start.
inline std::vector<SymphonyIncident> workers_from(TimeNs at_ns, std::uint32_t count) {
  std::vector<SymphonyIncident> added;
  for (std::uint32_t worker = 0; worker < count; ++worker)
    added.push_back({at_ns, SymphonyIncident::Kind::kAdded, worker});
  return added;
}

inline SymphonyOutcome simulate_symphony(const SymphonyWorld& world, std::vector<SymphonyRequest> requests) {
  return SymphonySimulator<DeferredScheduler>(world, std::move(requests)).run();
}

}  // namespace harness
