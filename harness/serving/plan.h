// Slow decisions: how many workers each module has and how large its batches may be.
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

/// Index into Plan::groups; without any the index of a module.
using GroupId = std::uint16_t;

/// The plan of one module.
struct ModulePlan {
  int workers = 1;     ///< that serve it, perhaps beside others; 0: System::scales_to_zero
  int max_batch = 1;   ///< largest batch a scheduler may form, 1..the profile's maximum
  TimeNs exec_ns = 0;  ///< d_k: the profile's latency at max_batch
  TimeNs budget_ns =
      0;  ///< share of the SLO for this module alone (waits and execution), for systems that split it
  /// The kind of its workers, of ServingContext::devices. All plans of a run name the same one; other than 0
  /// only where the system says that it plans kinds (System::plans_devices), and without groups.
  std::uint16_t device = 0;
  /// Of each worker, from its next batch on (latency_with_cores, profile.h); 0: as the profile was measured.
  int cores = 0;

  bool operator==(const ModulePlan&) const = default;
};

/// Workers behind one queue, each of which serves all of the modules.
struct WorkerGroup {
  int workers = 1;
  std::vector<ModuleId> modules;  ///< in order, at least one
  /// Of systems that plan each group for itself (Nexus: the nodes of a packing). As `modules`: largest batch
  /// here, at most the module's own; empty: the module's own.
  std::vector<int> max_batches = {};
  /// The time in which each worker is to run one batch of every module; 0: not planned.
  TimeNs cycle_ns = 0;
  /// As `modules`, for routers and records: how many of the equal parts into which a module's streams are
  /// divided go here (SHEPHERD); empty: they are not divided.
  std::vector<int> shares = {};

  bool operator==(const WorkerGroup&) const = default;
};

/// Whether it is the same group, with perhaps another number of workers and other shares.
inline bool is_same_group(const WorkerGroup& a, const WorkerGroup& b) {
  return a.modules == b.modules && a.max_batches == b.max_batches && a.cycle_ns == b.cycle_ns;
}

/// What a planner tells the routers of its own system with a plan. Never written again.
struct PlanNotes {
  virtual ~PlanNotes() = default;
};

/// A plan for the whole pipeline, one entry per module.
struct Plan {
  std::vector<ModulePlan> modules;
  /// Empty: each module has workers of its own, and is a group of that number. Otherwise every worker belongs
  /// to a group; a module may be in several (SHEPHERD, section 3.2: serving groups; Nexus: the nodes of a
  /// session). Over a run groups are only added: a later plan has those of the plan before it first
  /// (is_same_group), perhaps with other numbers of workers, 0 where they are not used (follows,
  /// common_plans.h).
  std::vector<WorkerGroup> groups;
  /// Null: none. For Router::on_plan and Placement::on_plan alone; no other rank or log has them.
  std::shared_ptr<const PlanNotes> notes = nullptr;

  /// Equal workers and batches, whatever the notes.
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
  /// The largest batch of the module, one of the group's, there.
  int max_batch(GroupId group, ModuleId module) const {
    if (groups.empty() || groups[group].max_batches.empty()) return modules[module].max_batch;
    const std::vector<ModuleId>& served = groups[group].modules;
    return groups[group].max_batches[static_cast<std::size_t>(
        std::find(served.begin(), served.end(), module) - served.begin())];
  }
  /// Whether there are workers that serve several modules.
  bool shares_workers() const {
    return std::any_of(groups.begin(), groups.end(),
                       [](const WorkerGroup& group) { return group.modules.size() > 1; });
  }
  /// The modules that the workers of a group serve, in order.
  std::vector<ModuleId> served_by(GroupId group) const {
    return groups.empty() ? std::vector<ModuleId>{group} : groups[group].modules;
  }
};

/// For messages and logs, which older versions have written: all but the notes, and the devices, which the
/// dispatcher alone asks for. Where cores are planned, -1 - workers says that they follow.
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

/// What became of a module's visits since the last plan, as the dispatcher knows it: it sends every visit to
/// a queue and hears of a batch when that ends, so that what began to run and has not ended counts later.
struct ModuleStatistics {
  /// Visits there now: sent to its queues and not heard of as ended, those that run included. In virtual
  /// time one that is still on its way to its queue (cluster.network_delay_ms) is not there yet.
  std::uint64_t present = 0;
  /// Mean time from reaching the queue to the start of the batch, of the visits whose batches have ended
  /// since the last plan; NaN: none has.
  double wait_ms = NAN;
  /// Time that those batches ran / time in which its workers could serve. Batches that are long beside the
  /// period bring it above 1 where they end and below where they run; its mean over time is exact. NaN: there
  /// was no such time.
  double busy_share = NAN;
  /// Standard deviation over mean (QUART, section 5.2) of the gaps between the visits sent to its queues,
  /// those that ended since the last plan (GapTotals); NaN: fewer than two.
  double arrival_cv = NAN;
  std::uint64_t gaps = 0;  ///< how many such gaps ended
  double gap_ms = NAN;     ///< their mean; NaN: none ended
};

/// What a planner is told about the load.
struct LoadStatistics {
  /// Requests/s offered to the pipeline over the last planning period; before the start, the rate to
  /// provision for.
  double offered_rps = 0;
  /// Visits/s that arrived at each module over the same time (< 0 where a variant lost its queue to another);
  /// before the start what the streams promise, empty when they say nothing.
  std::vector<double> module_rps;
  /// For planners that are told the future: by module the largest number of requests that enter there within
  /// one second of the period that begins (System::replan_period_ns), or of the run (SHEPHERD, section 7:
  /// Nexus is provisioned for the peak); empty: not known.
  std::vector<double> peak_rps = {};
  /// Of a task tree, by module and entry of its subs: the mean number of visits there that a visit served
  /// by it has caused over the same time (Loki, section 4.2: multiplicative factors by heartbeats); NaN where
  /// it served none. Empty before the start.
  std::vector<std::vector<double>> fan_out = {};
  /// When the requests since the last call were sent, in order; empty before the start and where the system
  /// does not ask (System::wants_sample).
  std::vector<TimeNs> sent_ns = {};
  /// By which stream, where there are several; else empty.
  std::vector<StreamId> sent_streams = {};
  /// Requests that have been sent and have visits left.
  std::uint32_t in_system = 0;
  /// By module; empty before the start and where the system does not ask (System::wants_module_statistics).
  std::vector<ModuleStatistics> modules = {};
};

/// Computes plans from a snapshot of the load. In live runs in a thread of its own: it shares nothing that
/// changes with other parts of its system, and tells routers what they need by Plan::notes. Deterministic.
class Planner {
 public:
  virtual ~Planner() = default;
  /// The plan for the start (`current` empty) or the next one. One with groups follows the last one that was
  /// computed, which is `current` then; anything else is a bug. It is asked for only where the system says
  /// its own period (System::replan_period_ns); continued_plan (common_plans.h) makes it.
  /// After the start `current` may have fewer workers than the first plan had (planner.initial_workers).
  virtual Plan plan(TimeNs now, const LoadStatistics& load, const Plan& current) = 0;
};

}  // namespace harness
