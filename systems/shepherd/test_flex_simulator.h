// A group of GPUs in virtual time that does what FLEX decides, and checks every decision. For tests only:
// exact latencies, nothing but the events that FLEX needs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "systems/shepherd/flex.h"
#include "systems/shepherd/flex_decision.h"
#include "systems/shepherd/flex_model.h"
#include "systems/shepherd/flex_params.h"

namespace harness {

/// Returns a profile in which a batch of b takes alpha b + beta.
inline Profile flex_profile(TimeNs alpha_ns, TimeNs beta_ns, int max_batch, int exit_points = 0) {
  Profile profile;
  for (int b = 1; b <= max_batch; ++b) profile.latency_ns.push_back(alpha_ns * b + beta_ns);
  profile.exit_points = exit_points;
  return profile;
}

struct FlexRequest {
  ModuleId module = 0;
  TimeNs arrival_ns = 0;
  TimeNs deadline_ns = 0;
};

/// An event of the group other than an arrival.
struct FlexIncident {
  enum class Kind { kAdded, kDraining, kLost, kCancelled };
  TimeNs at_ns = 0;
  Kind kind = Kind::kAdded;
  std::uint32_t subject = 0;  ///< worker; for kCancelled the request, if it is queued then
};

struct FlexWorld {
  std::vector<Profile> profiles;  ///< profile of each module
  int workers = 1;
  FlexParams params;
  /// A preemption waits for the next of the profile's exit points, evenly apart.
  bool at_exit_points = false;
  bool check_rule = false;  ///< check_rule() runs after each event
  std::vector<FlexIncident> incidents;
};

struct FlexOutcome {
  int in_time = 0;
  int dropped = 0;
  int cancelled = 0;
  int waiting = 0;  ///< number of requests left at the end, without a worker that could serve them
  int starts = 0;
  int preempted = 0;               ///< number of batches that stopped
  TimeNs busy_ns = 0;              ///< busy time of all workers
  TimeNs lost_ns = 0;              ///< busy time in batches that stopped or were lost
  std::vector<int> in_time_of;     ///< number of requests in time, by module
  std::vector<TimeNs> ended_ns;    ///< time at which each request ended in time; else -1
  std::vector<int> preempted_of;   ///< number of batches that stopped, by worker
  std::vector<int> largest_start;  ///< size of the largest batch, by module
};

/// Events of one instant: batches end, then stop, then incidents, then arrivals in the order given.
class FlexSimulator {
 public:
  FlexSimulator(const FlexWorld& world, std::vector<FlexRequest> requests)
      : world_(world), requests_(std::move(requests)), flex_(world.params, models()) {
    state_.assign(requests_.size(), State::kToCome);
    outcome_.ended_ns.assign(requests_.size(), -1);
    outcome_.in_time_of.assign(world.profiles.size(), 0);
    outcome_.largest_start.assign(world.profiles.size(), 0);
    for (std::uint32_t i = 0; i < requests_.size(); ++i) push(requests_[i].arrival_ns, kArrival, i);
    for (std::uint32_t i = 0; i < world_.incidents.size(); ++i) push(world_.incidents[i].at_ns, kIncident, i);
    for (int worker = 0; worker < world.workers; ++worker) add(static_cast<WorkerId>(worker), 0);
  }

  FlexOutcome run() {
    while (!events_.empty() && !::testing::Test::HasFatalFailure()) {
      const auto [at_ns, kind, order, subject, batch] = events_.top();
      events_.pop();
      now_ = at_ns;
      switch (kind) {
        case kEnd:
          if (runs(subject, batch)) end(subject);
          break;
        case kExit:
          if (runs(subject, batch)) stop(subject);
          break;
        case kIncident:
          happen(world_.incidents[subject]);
          break;
        default:
          arrive(subject);
      }
      carry_out();
      if (world_.check_rule) check_rule();
    }
    finish();
    return outcome_;
  }

 private:
  enum EventKind { kEnd, kExit, kIncident, kArrival };
  enum class State { kToCome, kQueued, kRunning, kEnded };
  using Event = std::tuple<TimeNs, EventKind, std::uint64_t, std::uint32_t, std::uint64_t>;

  struct Gpu {
    bool present = false;
    bool draining = false;
    ModuleId module = 0;
    std::vector<VisitId> visits;  ///< empty: idle
    TimeNs started_ns = 0;
    std::uint64_t batch = 0;
    bool asked = false;
  };

  std::vector<FlexModel> models() const {
    std::vector<FlexModel> models;
    for (std::size_t m = 0; m < world_.profiles.size(); ++m) {
      models.push_back({static_cast<ModuleId>(m), &world_.profiles[m], world_.profiles[m].max_batch()});
    }
    return models;
  }
  Visit visit_of(VisitId id) const {
    const FlexRequest& request = requests_[id];
    return {id, request.module, 0, id, request.arrival_ns, request.deadline_ns, request.arrival_ns};
  }
  void push(TimeNs at_ns, EventKind kind, std::uint32_t subject, std::uint64_t batch = 0) {
    events_.push({at_ns, kind, order_++, subject, batch});
  }
  bool runs(WorkerId worker, std::uint64_t batch) const {
    return gpus_[worker].present && !gpus_[worker].visits.empty() && gpus_[worker].batch == batch;
  }

  void add(WorkerId worker, TimeNs now) {
    if (worker >= gpus_.size()) gpus_.resize(worker + 1);
    outcome_.preempted_of.resize(gpus_.size());
    gpus_[worker].present = true;
    now_ = now;
    flex_.on_worker_added(now, worker, decisions_);
    carry_out();
  }

  void arrive(VisitId id) {
    state_[id] = State::kQueued;
    flex_.on_arrival(now_, visit_of(id), decisions_);
  }

  void end(WorkerId worker) {
    for (const VisitId id : gpus_[worker].visits) {
      ASSERT_LE(now_, requests_[id].deadline_ns) << "request " << id << " ends late";
      state_[id] = State::kEnded;
      outcome_.ended_ns[id] = now_;
      ++outcome_.in_time;
      ++outcome_.in_time_of[requests_[id].module];
    }
    free_worker(worker);
    flex_.on_completed(now_, worker, decisions_);
  }

  std::vector<Visit> take_back(WorkerId worker) {
    std::vector<Visit> visits;
    for (const VisitId id : gpus_[worker].visits) {
      state_[id] = State::kQueued;
      visits.push_back(visit_of(id));
    }
    if (!visits.empty()) outcome_.lost_ns += now_ - gpus_[worker].started_ns;
    free_worker(worker);
    return visits;
  }

  void stop(WorkerId worker) {
    ++outcome_.preempted;
    ++outcome_.preempted_of[worker];
    const std::vector<Visit> visits = take_back(worker);
    flex_.on_preempted(now_, worker, visits, decisions_);
  }

  void free_worker(WorkerId worker) {
    Gpu& gpu = gpus_[worker];
    if (!gpu.visits.empty()) outcome_.busy_ns += now_ - gpu.started_ns;
    gpu.visits.clear();
    gpu.asked = false;
    if (gpu.draining) gpu.present = false;
  }

  void happen(const FlexIncident& incident) {
    const WorkerId subject = incident.subject;
    switch (incident.kind) {
      case FlexIncident::Kind::kAdded:
        add(subject, now_);
        break;
      case FlexIncident::Kind::kDraining:
        if (!gpus_[subject].present || gpus_[subject].draining) return;
        gpus_[subject].draining = true;
        if (gpus_[subject].visits.empty()) gpus_[subject].present = false;
        flex_.on_worker_draining(now_, subject, decisions_);
        break;
      case FlexIncident::Kind::kLost: {
        if (!gpus_[subject].present) return;
        const std::vector<Visit> visits = take_back(subject);
        gpus_[subject].present = false;
        flex_.on_workers_lost(now_, {&subject, 1}, visits, decisions_);
        break;
      }
      case FlexIncident::Kind::kCancelled:
        if (state_[subject] != State::kQueued) return;
        state_[subject] = State::kEnded;
        ++outcome_.cancelled;
        flex_.on_cancelled(now_, subject, decisions_);
    }
  }

  void carry_out() {
    for (const FlexDecision& decision : decisions_.list()) {
      switch (decision.kind) {
        case FlexDecision::Kind::kStart:
          start(decision);
          break;
        case FlexDecision::Kind::kPreempt:
          preempt(decision.worker);
          break;
        case FlexDecision::Kind::kDrop:
          ASSERT_EQ(state_[decision.visit], State::kQueued) << "drops what is not queued";
          state_[decision.visit] = State::kEnded;
          ++outcome_.dropped;
      }
    }
    decisions_.clear();
  }

  void start(const FlexDecision& decision) {
    Gpu& gpu = gpus_[decision.worker];
    const Profile& profile = world_.profiles[decision.module];
    ASSERT_TRUE(gpu.present && !gpu.draining) << "worker " << decision.worker << " is not there";
    ASSERT_TRUE(gpu.visits.empty()) << "worker " << decision.worker << " runs two batches";
    const auto size = static_cast<int>(decision.count);
    ASSERT_GE(size, 1);
    ASSERT_LE(size, std::min(profile.max_batch(), world_.params.max_batch));
    for (const VisitId id : decisions_.visits(decision)) {
      ASSERT_EQ(state_[id], State::kQueued) << "starts a request that is not queued";
      ASSERT_EQ(requests_[id].module, decision.module) << "a batch of several models";
      state_[id] = State::kRunning;
      gpu.visits.push_back(id);
    }
    gpu.module = decision.module;
    gpu.started_ns = now_;
    gpu.batch = ++batches_;
    ++outcome_.starts;
    outcome_.largest_start[gpu.module] = std::max(outcome_.largest_start[gpu.module], size);
    push(now_ + profile.latency(size), kEnd, decision.worker, gpu.batch);
  }

  void preempt(WorkerId worker) {
    Gpu& gpu = gpus_[worker];
    ASSERT_TRUE(!gpu.visits.empty() && !gpu.asked) << "preempts what does not run, or twice";
    ASSERT_TRUE(world_.params.preempt);
    gpu.asked = true;
    const Profile& profile = world_.profiles[gpu.module];
    if (!world_.at_exit_points) {
      push(now_, kExit, worker, gpu.batch);
      return;
    }
    const TimeNs latency = profile.latency(static_cast<int>(gpu.visits.size()));
    for (int k = 1; k <= profile.exit_points; ++k) {
      const TimeNs exit_ns = gpu.started_ns + latency * k / (profile.exit_points + 1);
      if (exit_ns < now_) continue;
      push(exit_ns, kExit, worker, gpu.batch);
      return;
    }
  }

  /// Checks the conditions on which the proof in appendix B rests, by looking at all batches: no GPU idles
  /// while a batch is feasible, and no GPU runs a batch if a feasible one, with its own visits or without, is
  /// lambda times as large. For kSkip and preemption at once.
  void check_rule() {
    if (std::any_of(gpus_.begin(), gpus_.end(), [](const Gpu& gpu) { return gpu.asked; })) return;
    for (const Gpu& gpu : gpus_) {
      if (!gpu.present || gpu.draining) continue;
      const double most = gpu.visits.empty() ? 1 : flex_.lambda() * static_cast<double>(gpu.visits.size());
      for (ModuleId module = 0; module < world_.profiles.size(); ++module) {
        ASSERT_LT(largest_feasible(module, gpu), most) << "at " << now_;
      }
    }
  }
  int largest_feasible(ModuleId module, const Gpu& gpu) const {
    std::vector<TimeNs> dues;
    for (std::size_t id = 0; id < requests_.size(); ++id) {
      if (state_[id] == State::kQueued && requests_[id].module == module)
        dues.push_back(requests_[id].deadline_ns);
    }
    for (const VisitId id : gpu.visits) {
      if (gpu.module == module) dues.push_back(requests_[id].deadline_ns);
    }
    std::sort(dues.begin(), dues.end(), std::greater<>());
    const Profile& profile = world_.profiles[module];
    const int cap = std::min({profile.max_batch(), world_.params.max_batch, static_cast<int>(dues.size())});
    int largest = 0;
    for (int size = 1; size <= cap; ++size) {
      if (now_ + profile.latency(size) <= dues[static_cast<std::size_t>(size - 1)]) largest = size;
    }
    return largest;
  }

  void finish() {
    for (const Gpu& gpu : gpus_) EXPECT_TRUE(gpu.visits.empty()) << "a batch never ended";
    for (const State state : state_) {
      EXPECT_TRUE(state == State::kEnded || state == State::kQueued);
      if (state == State::kQueued) ++outcome_.waiting;
    }
    EXPECT_EQ(outcome_.in_time + outcome_.dropped + outcome_.cancelled + outcome_.waiting,
              static_cast<int>(requests_.size()));
  }

  FlexWorld world_;
  std::vector<FlexRequest> requests_;
  std::vector<State> state_;
  std::vector<Gpu> gpus_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::uint64_t batches_ = 0;
  TimeNs now_ = 0;
  Flex flex_;
  FlexDecisions decisions_;
  FlexOutcome outcome_;
};

inline FlexOutcome simulate_flex(const FlexWorld& world, std::vector<FlexRequest> requests) {
  return FlexSimulator(world, std::move(requests)).run();
}

}  // namespace harness
