// The slow decisions: the number of workers of each module and the largest size of its batches.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/archive.h"
#include "harness/core/arrivals.h"
#include "harness/core/types.h"

namespace harness {

/// Index into Plan::groups; if the plan has no groups, the index of a module.
using GroupId = std::uint16_t;

/// The plan of one module.
struct ModulePlan {
  /// Number of workers that serve it, some perhaps other modules too; 0: see System::scales_to_zero.
  int workers = 1;
  int max_batch = 1;   ///< largest batch that a scheduler may form, 1..the profile's maximum
  TimeNs exec_ns = 0;  ///< d_k: the profile's latency at max_batch (latency_with_cores)
  /// Share of the SLO for this module alone (waits and execution), for systems that split it.
  TimeNs budget_ns = 0;
  /// The kind of device of its workers, an index into ServingContext::devices. All plans of a run name the
  /// same kind. It differs from 0 only if the system says that it plans kinds (System::plans_devices), and
  /// only in plans without groups.
  std::uint16_t device = 0;
  /// Number of cores of each worker, from its next batch on (latency_with_cores, profile.h); 0: as the
  /// profile was measured.
  int cores = 0;

  bool operator==(const ModulePlan&) const = default;
};

/// Workers behind one queue, each of which serves all of the modules.
struct WorkerGroup {
  int workers = 1;
  std::vector<ModuleId> modules;  ///< in order, at least one
  /// Largest batch here of each entry of `modules`, at most the module's own; empty: the module's own. It is
  /// for systems that plan each group for itself (Nexus: the nodes of a packing).
  std::vector<int> max_batches = {};
  /// The time in which each worker is to run one batch of every module; 0: not planned.
  TimeNs cycle_ns = 0;
  /// For routers and records: the streams of a module are divided into equal parts, and this is the number of
  /// parts that go here, for each entry of `modules` (SHEPHERD); empty: they are not divided.
  std::vector<int> shares = {};

  bool operator==(const WorkerGroup&) const = default;
};

/// True if both are the same group, perhaps with different numbers of workers and different shares.
inline bool is_same_group(const WorkerGroup& a, const WorkerGroup& b) {
  return a.modules == b.modules && a.max_batches == b.max_batches && a.cycle_ns == b.cycle_ns;
}

/// A planner's notes on a plan, for the routers and the placement of its own system. Never written again.
struct PlanDetails {
  virtual ~PlanDetails() = default;
};

/// A plan for the whole pipeline, with one entry per module.
struct Plan {
  std::vector<ModulePlan> modules;
  /// If empty, each module has workers of its own and is the group of its number. Otherwise every worker
  /// belongs to a group; a module may be in several (SHEPHERD, section 3.2: serving groups; Nexus: the nodes
  /// of a session). During a run groups are only added: a later plan begins with the groups of the plan
  /// before it (is_same_group), perhaps with other numbers of workers, 0 if they are not used (follows,
  /// common_plans.h).
  std::vector<WorkerGroup> groups;
  /// Null if there are no notes. They are for Router::on_plan and Placement::on_plan alone; no other rank has
  /// them, and no log.
  std::shared_ptr<const PlanDetails> notes = nullptr;

  /// True if workers and batches are equal, whatever the notes.
  bool operator==(const Plan& other) const { return modules == other.modules && groups == other.groups; }

  GroupId group_count() const {
    return static_cast<GroupId>(groups.empty() ? modules.size() : groups.size());
  }
  int workers_of(GroupId group) const {
    return groups.empty() ? modules[group].workers : groups[group].workers;
  }
  bool serves(GroupId group, ModuleId module) const {
    if (groups.empty()) return group == module;
    const std::vector<ModuleId>& served = groups[group].modules;
    return std::find(served.begin(), served.end(), module) != served.end();
  }
  /// Returns the largest batch of the module on workers of the group, which serves it.
  int max_batch(GroupId group, ModuleId module) const {
    if (groups.empty() || groups[group].max_batches.empty()) return modules[module].max_batch;
    const std::vector<ModuleId>& served = groups[group].modules;
    return groups[group].max_batches[static_cast<std::size_t>(
        std::find(served.begin(), served.end(), module) - served.begin())];
  }
  /// True if there are workers that serve several modules.
  bool shares_workers() const {
    return std::any_of(groups.begin(), groups.end(),
                       [](const WorkerGroup& group) { return group.modules.size() > 1; });
  }
  /// Returns the modules that the workers of a group serve, in order.
  std::vector<ModuleId> served_by(GroupId group) const {
    return groups.empty() ? std::vector<ModuleId>{group} : groups[group].modules;
  }
};

/// Codes a plan for messages and logs, which older versions may have written. It leaves out the notes and the
/// devices, for which the dispatcher alone asks. If cores are planned, the number -1 - workers in place of
/// the workers says that the cores follow.
template <class Way>
void code(Archive<Way>& archive, Plan& plan) {
  archive.list(plan.modules, [&](ModulePlan& module) {
    int workers = module.cores == 0 ? module.workers : -1 - module.workers;
    archive.value(workers);
    module.workers = std::max(workers, -1 - workers);
    if (workers < 0) archive.value(module.cores);
    archive.value(module.max_batch);
    archive.value(module.exec_ns);
    archive.value(module.budget_ns);
  });
  archive.list(plan.groups, [&](WorkerGroup& group) {
    archive.value(group.workers);
    archive.list(group.modules);
    archive.list(group.max_batches);
    archive.value(group.cycle_ns);
    archive.list(group.shares);
  });
}

// The planner: replicas, maximum batch sizes, latency budgets.

/// The fate of a module's visits since the last plan, as the dispatcher knows it. The dispatcher sends every
/// visit to a queue and hears of a batch when the batch ends, so a batch that began to run and has not ended
/// counts later.
struct ModuleStatistics {
  /// Number of visits there now: they were sent to its queues and are not known to have ended; visits that
  /// run count. In virtual time a visit that is still on its way to its queue (cluster.network_delay_ms) is
  /// not there yet.
  std::uint64_t present = 0;
  /// Mean time from reaching the queue to the start of the batch, over the visits whose batches have ended
  /// since the last plan; NaN: no batch has ended.
  double wait_ms = NAN;
  /// Time for which those batches ran / time in which the module's workers could serve. If batches are long
  /// compared with the period, the share is too high, even above 1, in the period in which they end, and too
  /// low in the periods in which they run; its mean over time is exact. NaN: there was no such time.
  double busy_share = NAN;
  /// Standard deviation over mean (QUART, section 5.2) of the gaps between the visits sent to its queues,
  /// over the gaps that ended since the last plan (GapTotals); NaN: fewer than two.
  double arrival_cv = NAN;
  std::uint64_t gaps = 0;  ///< number of gaps that ended
  double gap_ms = NAN;     ///< mean of these gaps; NaN: no gap ended
};

/// The load as a planner is told of it.
struct LoadStatistics {
  /// Requests/s offered to the pipeline over the last planning period; before the start, the rate to
  /// provision for.
  double offered_rps = 0;
  /// Visits/s that arrived at each module over the same time (< 0 if a variant lost its queue to another).
  /// Before the start they are the rates that the streams promise, empty if the streams say nothing.
  std::vector<double> module_rps;
  /// For planners that are told the future: for each module the largest number of requests that enter there
  /// within one second of the period that begins (System::replan_period_ns), or of the run (SHEPHERD, section
  /// 7: Nexus is provisioned for the peak); empty: not known.
  std::vector<double> peak_rps = {};
  /// For task trees, by module and entry of its subs: the mean number of visits there that a visit served by
  /// the module has caused over the same time (Loki, section 4.2: multiplicative factors by heartbeats); NaN
  /// if the module served no visit. Empty before the start.
  std::vector<std::vector<double>> fan_out = {};
  /// Sending times of the requests since the last call, in order. Empty before the start, and if the system
  /// does not ask (System::wants_sample).
  std::vector<TimeNs> sent_ns = {};
  /// Stream of each of these requests, if there are several streams; else empty.
  std::vector<StreamId> sent_streams = {};
  /// Number of requests that have been sent and have visits left.
  std::uint32_t in_system = 0;
  /// Statistics of each module. Empty before the start, and if the system does not ask
  /// (System::wants_module_statistics).
  std::vector<ModuleStatistics> modules = {};
};

/// Computes plans from a snapshot of the load. In live runs it works in a thread of its own: it shares
/// nothing that changes with other parts of its system, and tells routers what they need by Plan::notes.
/// Deterministic.
class Planner {
 public:
  virtual ~Planner() = default;
  /// Returns the plan for the start (`current` is empty) or the next one. A plan with groups must follow the
  /// last one that was computed, which is `current` then; anything else is a bug. A next plan with groups is
  /// asked for only if the system has a period of its own (System::replan_period_ns); continued_plan
  /// (common_plans.h) makes such a plan.
  /// After the start `current` may have fewer workers than the first plan had (planner.initial_workers).
  virtual Plan plan(TimeNs now, const LoadStatistics& load, const Plan& current) = 0;
};

}  // namespace harness
