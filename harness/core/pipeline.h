// A pipeline: a DAG of modules (PARD section 5.1), its paths, and the choices of its modules.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/core/module.h"
#include "harness/core/types.h"

namespace harness {

/// A directed acyclic graph with exactly one entry, from which every module is reachable; or several
/// independent graphs without edges between them, each with streams of its own (stream.h). Modules are in
/// topological order: every id in `pres` is smaller than the module's own.
///
/// Or a task tree (Loki, section 2.1), in which each task is done by one of its variants: `pres` and `subs`
/// then name the first modules of the tasks before and after, the same for all variants, and mean any variant
/// of them. A visit causes any number of visits at each task after it (fan_out.h); its request is complete
/// when all of them are.
struct Pipeline {
  std::string name;
  std::string description;
  TimeNs slo_ns = 0;  ///< the paper's end-to-end objective; an experiment may set another
  std::vector<Module> modules;
  bool independent = false;  ///< true if it may have several entries
  std::vector<Task> tasks;   ///< tasks in topological order; empty: each module is a task of its own
  /// True if the counts in a task tree stray from their mean by rounding only (fan_out.h).
  bool fixed_fan_out = false;

  bool has_tasks() const { return !tasks.empty(); }
  /// Returns the first module of the module's task; without tasks, the module itself.
  ModuleId task_of(ModuleId module) const { return has_tasks() ? modules[module].task : module; }
  /// True if each request visits every module once, one after the other.
  bool is_chain() const {
    if (has_tasks()) return false;
    for (const Module& module : modules) {
      if (module.pres.size() > 1 || module.subs.size() > 1 || module.branches == Branches::kEach)
        return false;
    }
    return true;
  }
};

/// Puts `modules` (pres given by name in `pres_names[i]`, subs likewise) into topological order, fills in
/// `pres` and `subs` and checks the contract of Pipeline (several entries only if it is `independent`).
/// Returns "" or what is wrong, in words that name the modules concerned.
std::string link_modules(Pipeline& pipeline, const std::vector<std::vector<std::string>>& pres_names,
                         const std::vector<std::vector<std::string>>& subs_names);

/// The largest number to which the choices of all modules (kOne: one of its subs; kEach: any of them) may
/// combine.
inline constexpr std::size_t kMaxRoutes = 4096;

/// Makes `module` of a linked pipeline send each request to one of its subs, with probabilities in proportion
/// to `weights`: one positive number for each name in `order`, which names every sub once. If both are empty,
/// the weights are equal. Returns "" or what is wrong; then nothing has changed.
std::string choose_one(Pipeline& pipeline, const std::string& module, const std::vector<std::string>& order,
                       const std::vector<double>& weights);
/// Likewise makes it send each request to each of its subs with the sub's probability, above 0 and at most 1,
/// independently of the others.
std::string choose_each(Pipeline& pipeline, const std::string& module, const std::vector<std::string>& order,
                        const std::vector<double>& probabilities);

/// Returns for each module the largest sum of `cost` over any path from just after it to a sink; 0 for sinks.
/// `cost` has one entry per module. PARD section 4.2: a DAG's estimate is the maximum over the paths.
std::vector<double> longest_after(const Pipeline& pipeline, const std::vector<double>& cost);

/// Returns for each module the largest sum of `cost` over the paths from the entry to just before it. A
/// module with several `pres` starts when the last of them is done, so this is also the least time before it
/// if `cost` holds least times.
std::vector<double> longest_before(const Pipeline& pipeline, const std::vector<double>& cost);

/// Returns the modules without pres, ascending; for a task tree the first variant of its root.
std::vector<ModuleId> entries_in(const Pipeline& pipeline);

/// Returns for each module the entry from which its requests come.
std::vector<ModuleId> entries_of(const Pipeline& pipeline);

/// Returns for each module whether a path leads to it from `from`, which does not count itself.
std::vector<bool> modules_after(const Pipeline& pipeline, ModuleId from);

/// Returns all paths from the modules after `from` (exclusive) to the sinks; one empty path for a sink. Their
/// number can grow exponentially with the modules.
std::vector<std::vector<ModuleId>> paths_after(const Pipeline& pipeline, ModuleId from);

}  // namespace harness
