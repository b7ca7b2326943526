// A system for tests whose queues serve several modules, and cells for it.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/check.h"
#include "harness/serving/common_plans.h"
#include "harness/serving/system.h"
#include "harness/sim/test_random_cells.h"

namespace harness::testing {

/// A scheduler with a queue for each module. A free worker takes a batch from the front of the longest queue,
/// and drops visits whose deadline has passed. An arrival preempts the smallest batch if `factor` times its
/// size is at most the length of the arrival's own queue; with a factor of 0 it never does. Visits of a
/// preempted batch go to the back of their queue. With `before_start` a batch may be preempted even if its
/// start has not been heard of.
class GroupScheduler final : public Scheduler {
 public:
  GroupScheduler(const ServingContext& context, GroupId group, double factor, bool before_start = false)
      : context_(context), group_(group), factor_(factor), before_start_(before_start) {}

  void on_plan(TimeNs, const Plan& plan, Decisions&) override {
    plan_ = plan;
    for (const ModuleId module : plan.served_by(group_)) queues_.try_emplace(module);
  }
  void on_worker_added(TimeNs, WorkerId worker, Decisions&) override { workers_[worker] = {}; }
  void on_worker_draining(TimeNs, WorkerId worker, Decisions&) override { workers_.erase(worker); }
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) override {
    for (const WorkerId worker : workers) workers_.erase(worker);
    queue(visits);
    start_free(now, out);
  }
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override {
    check(visit);
    queue({&visit, 1});
    start_free(now, out);
    Worker* smallest = nullptr;
    WorkerId which = 0;
    for (auto& [id, worker] : workers_) {
      if (worker.running == 0 || worker.asked || !(worker.started || before_start_)) continue;
      if (smallest == nullptr || worker.running < smallest->running) {
        smallest = &worker;
        which = id;
      }
    }
    const auto queued = static_cast<double>(queues_.at(visit.module).size());
    if (factor_ == 0 || smallest == nullptr || factor_ * smallest->running > queued) return;
    smallest->asked = true;
    out.preempt(which);
  }
  void on_cancelled(TimeNs, VisitId visit, Decisions&) override {
    for (auto& [module, waiting] : queues_)
      std::erase_if(waiting, [visit](const Visit& one) { return one.id == visit; });
  }
  void on_worker_free(TimeNs now, WorkerId, Decisions& out) override { start_free(now, out); }
  void on_batch_started(TimeNs, const BatchView& batch, Decisions&) override {
    const auto worker = workers_.find(batch.worker);
    if (worker == workers_.end()) return;  // it drains
    HARNESS_CHECK(worker->second.module == batch.module, "a batch of another module has started");
    worker->second.started = true;
  }
  void on_batch_done(TimeNs, const BatchView& batch, Decisions&) override { set_free(batch.worker); }
  void on_batch_preempted(TimeNs, const BatchView& batch, std::span<const Visit> visits,
                          Decisions&) override {
    set_free(batch.worker);
    queue(visits);
  }

 private:
  struct Worker {
    int running = 0;
    ModuleId module = 0;
    bool started = false;
    bool asked = false;
  };

  /// Checks that some stream enters at the first module of the visit's chain and fits the visit's deadline.
  void check(const Visit& visit) const {
    if (context_.streams.empty()) return;
    const ModuleId entry = entries_of(*context_.pipeline)[visit.module];
    const bool known =
        std::any_of(context_.streams.begin(), context_.streams.end(), [&](const Stream& stream) {
          return stream.entry == entry && visit.deadline_ns == visit.sent_ns + stream.slo_ns;
        });
    HARNESS_CHECK(known, "a visit of no stream");
  }
  void queue(std::span<const Visit> visits) {
    for (const Visit& visit : visits) queues_.at(visit.module).push_back(visit);
  }
  void set_free(WorkerId worker) {
    const auto found = workers_.find(worker);
    if (found != workers_.end()) found->second = {};
  }
  void start_free(TimeNs now, Decisions& out) {
    for (auto& [id, worker] : workers_) {
      if (worker.running > 0) continue;
      while (worker.running == 0 && fill(now, id, worker, out)) {
      }
      if (worker.running > 0) out.launch(id);
    }
  }
  /// Fills a batch from the longest queue, and drops the expired visits at its front. Returns false if all
  /// queues are empty.
  bool fill(TimeNs now, WorkerId id, Worker& worker, Decisions& out) {
    const auto longest = std::max_element(queues_.begin(), queues_.end(), [](const auto& a, const auto& b) {
      return a.second.size() < b.second.size();
    });
    std::deque<Visit>& waiting = longest->second;
    if (waiting.empty()) return false;
    worker.module = longest->first;
    while (worker.running < plan_.modules[worker.module].max_batch && !waiting.empty()) {
      if (waiting.front().deadline_ns <= now) {
        out.drop(waiting.front().id, DropReason::kExpired);
      } else {
        out.join(id, waiting.front().id);
        ++worker.running;
      }
      waiting.pop_front();
    }
    return true;
  }

  const ServingContext& context_;
  GroupId group_;
  double factor_;
  bool before_start_;
  Plan plan_;
  std::map<WorkerId, Worker> workers_;
  std::map<ModuleId, std::deque<Visit>> queues_;
};

/// Changes of groups: after each period the groups of the next entry of `later` take effect; after the last
/// entry comes the first again.
struct GroupChanges {
  TimeNs period_ns = 0;
  bool models_are_preloaded = true;
  std::vector<std::vector<WorkerGroup>> later = {};
};

/// Plans the given groups, with the profiles' maximum batches.
class GroupPlanner final : public Planner {
 public:
  GroupPlanner(const ServingContext& context, std::vector<WorkerGroup> groups, GroupChanges changes)
      : context_(context), groups_(std::move(groups)), changes_(std::move(changes)) {}

  Plan plan(TimeNs, const LoadStatistics&, const Plan& current) override {
    if (current.modules.empty()) return plan_of(groups_);
    return continued_plan(current, plan_of(changes_.later[next_++ % changes_.later.size()]));
  }

 private:
  Plan plan_of(const std::vector<WorkerGroup>& groups) const {
    Plan plan;
    plan.groups = groups;
    for (ModuleId m = 0; m < context_.profiles.size(); ++m) {
      ModulePlan module;
      module.workers = 0;
      for (GroupId group = 0; group < plan.group_count(); ++group)
        module.workers += plan.serves(group, m) ? plan.workers_of(group) : 0;
      module.max_batch = context_.profiles[m]->max_batch();
      module.exec_ns = context_.profiles[m]->latency(module.max_batch);
      plan.modules.push_back(module);
    }
    return plan;
  }

  const ServingContext& context_;
  std::vector<WorkerGroup> groups_;
  GroupChanges changes_;
  std::size_t next_ = 0;
};

/// Routes a visit to the open queue whose index is the stream's number modulo the number of queues. It checks
/// that each queue that it is shown has workers in the plan.
class StreamRouter final : public Router {
 public:
  void on_plan(const Plan& plan) override { plan_ = plan; }
  void route(TimeNs, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override {
    for (const QueueView& view : queues)
      HARNESS_CHECK(plan_.workers_of(view.group) > 0, "a router sees a queue that closes");
    for (std::size_t i = 0; i < visits.size(); ++i)
      out[i] = static_cast<std::uint32_t>(visits[i].stream % queues.size());
  }

 private:
  Plan plan_;
};

class GroupSystem final : public System {
 public:
  GroupSystem(std::vector<WorkerGroup> groups, double factor, bool by_stream = false,
              GroupChanges changes = {})
      : groups_(std::move(groups)), factor_(factor), by_stream_(by_stream), changes_(std::move(changes)) {}
  void list(ParamList&) override {}
  SystemTraits traits() const override {
    return {.models_are_preloaded = changes_.models_are_preloaded, .preempts = factor_ > 0};
  }
  TimeNs replan_period_ns(const ServingContext&) const override { return changes_.period_ns; }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId, GroupId group) override {
    return std::make_unique<GroupScheduler>(context, group, factor_);
  }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return std::make_unique<GroupPlanner>(context, groups_, changes_);
  }
  std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module) override {
    if (!by_stream_) return System::make_router(context, module);
    return std::make_unique<StreamRouter>();
  }

 private:
  std::vector<WorkerGroup> groups_;
  double factor_;
  bool by_stream_;
  GroupChanges changes_;
};

/// Returns independent chains of these lengths.
inline Pipeline independent(const std::vector<std::size_t>& lengths) {
  Pipeline pipeline;
  pipeline.name = "independent";
  for (const std::size_t length : lengths) {
    for (std::size_t i = 0; i < length; ++i) {
      const auto id = static_cast<ModuleId>(pipeline.modules.size());
      Module module;
      module.name = "m" + std::to_string(id);
      if (i > 0) {
        module.pres = {static_cast<ModuleId>(id - 1)};
        pipeline.modules.back().subs = {id};
      }
      pipeline.modules.push_back(std::move(module));
    }
  }
  return pipeline;
}

/// Returns a cell with independent models and no requests.
inline RunSpec independent_cell(std::vector<Profile> profiles, std::vector<Stream> streams, int workers,
                                std::unique_ptr<System> system) {
  RunSpec spec;
  spec.pipeline = independent(std::vector<std::size_t>(profiles.size(), 1));
  spec.profiles = std::move(profiles);
  spec.streams = std::move(streams);
  for (const Stream& stream : spec.streams) spec.slo_ns = std::max(spec.slo_ns, stream.slo_ns);
  spec.workers = workers;
  spec.system = std::move(system);
  return spec;
}

/// Adds requests at these times, each of a random stream of the cell.
inline void add_requests_of_streams(RunSpec& spec, const std::vector<TimeNs>& times, TimeNs duration_ns,
                                    RandomStream& random) {
  std::vector<std::pair<TimeNs, StreamId>> requests;
  for (const TimeNs time : times)
    requests.emplace_back(time, static_cast<StreamId>(random.below(spec.streams.size())));
  spec.arrivals = arrivals_of(std::move(requests), duration_ns);
}

/// Returns random groups with each module in one group or in several.
inline std::vector<WorkerGroup> random_groups(RandomStream& random, std::size_t modules) {
  std::vector<WorkerGroup> groups;
  for (ModuleId m = 0; m < modules; ++m) {
    const bool opens = groups.empty() || random.below(2) == 0;
    if (opens) groups.push_back({1 + static_cast<int>(random.below(4)), {}});
    const std::size_t own = opens ? groups.size() - 1 : random.below(groups.size());
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if (group == own || random.below(4) == 0) groups[group].modules.push_back(m);
    }
  }
  return groups;
}

/// Returns several later plans with at most `workers` workers: either `groups` with other numbers of workers,
/// or other groups.
inline GroupChanges random_changes(RandomStream& random, const std::vector<WorkerGroup>& groups,
                                   std::size_t modules, int workers) {
  GroupChanges changes;
  changes.period_ns = ms_to_ns(200 + 400 * random.uniform());
  changes.models_are_preloaded = random.below(2) == 0;
  for (std::uint64_t more = 2 + random.below(4); more > 0; --more) {
    std::vector<WorkerGroup> next = random.below(2) == 0 ? groups : random_groups(random, modules);
    int sum = 0;
    for (WorkerGroup& group : next) sum += group.workers = static_cast<int>(random.below(5));
    for (; sum > workers; --sum) {
      auto group = next.begin() + static_cast<std::ptrdiff_t>(random.below(next.size()));
      while (group->workers == 0) group = group + 1 == next.end() ? next.begin() : group + 1;
      --group->workers;
    }
    changes.later.push_back(std::move(next));
  }
  return changes;
}

/// Returns a cell with streams over independent chains. A group may have modules of different chains; with
/// `changing` the groups change.
inline RunSpec random_group_cell(RandomStream& random, bool changing) {
  RunSpec spec = random_cell(random, all_systems().front());
  spec.planner.autoscale = false;
  std::vector<std::size_t> lengths(1 + random.below(4));
  for (std::size_t& length : lengths) length = 1 + random.below(3) / 2;
  spec.pipeline = independent(lengths);
  const std::size_t modules = spec.pipeline.modules.size();
  spec.profiles = random_profiles(random, modules);
  for (Profile& profile : spec.profiles) profile.exit_points = static_cast<int>(random.below(60));
  const std::vector<WorkerGroup> groups = random_groups(random, modules);
  spec.workers = 0;
  double rate_rps = 0;
  for (const WorkerGroup& group : groups) {
    const Profile& first = spec.profiles[group.modules.front()];
    spec.workers += group.workers;
    rate_rps += group.workers * best_throughput_rps(first, first.max_batch());
  }
  spec.slo_ns = 0;
  for (ModuleId m = 0; m < modules; ++m) {
    if (!spec.pipeline.modules[m].pres.empty()) continue;
    for (std::uint64_t more = 1 + random.below(3); more > 0; --more) {
      spec.streams.push_back({m, ms_to_ns(60 + 300 * random.uniform()), 0});
      spec.slo_ns = std::max(spec.slo_ns, spec.streams.back().slo_ns);
    }
  }
  const double factor = random.below(2) == 0 ? 0.0 : 1 + random.uniform();
  const bool by_stream = random.below(2) == 0;
  GroupChanges changes;
  if (changing) {
    changes = random_changes(random, groups, modules, spec.workers);
    spec.world.cold_start_ms = 100 * random.uniform();
    spec.planner.plan_time_ms = random.below(2) == 0 ? 0 : 700 * random.uniform();
  }
  spec.system = std::make_unique<GroupSystem>(groups, factor, by_stream, std::move(changes));
  const double mean_rps = std::min(3000.0, rate_rps * (0.2 + random.uniform()));
  add_requests_of_streams(spec, bursty_times(random, mean_rps, s_to_ns(3)), s_to_ns(3), random);
  if (random.below(3) == 0) spec.faults = random_faults(random, spec.workers);
  return spec;
}

inline RunSpec random_group_cell(RandomStream& random) { return random_group_cell(random, false); }
inline RunSpec random_changing_cell(RandomStream& random) { return random_group_cell(random, true); }

/// Returns the same for chains of one module each.
inline RunSpec random_independent_cell(RandomStream& random) {
  for (;;) {
    RunSpec spec = random_group_cell(random);
    const std::vector<Module>& modules = spec.pipeline.modules;
    const auto sends = [](const Module& module) { return !module.subs.empty(); };
    if (std::none_of(modules.begin(), modules.end(), sends)) return spec;
  }
}

}  // namespace harness::testing
