// A pipeline: a DAG of modules in PARD's terms (name, pres, subs; PARD section 5.1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/types.h"

namespace harness {

/// Rule by which a module sends on a request that it has served: to all of its `subs`; to one of them, chosen
/// at random for each request (PARD section 5.2, request-specific dynamic paths); or to each with a
/// probability of its own, so perhaps to no sub (InferLine section 3: conditional paths).
enum class Branches : std::uint8_t { kAll, kOne, kEach };

/// Several modules that can do the same work: model variants of different accuracy and speed, of which the
/// system chooses one for each visit (Loki, sections 2.1 and 4.1: the vertices of the augmented graph).
struct Task {
  std::string name;    ///< name, unique in the pipeline
  ModuleId first = 0;  ///< first of its variants, which follow one another, the most accurate first
  int variants = 1;
};

/// One module, which hosts one model on its workers.
struct Module {
  std::string name;            ///< name, unique in the pipeline
  std::string model;           ///< name of a model in the profile set
  std::string file;            ///< TorchScript file that devices run as `model`; empty: the zoo's network
  std::string source;          ///< source for the choice of the model in place of the paper's, one line
  std::vector<ModuleId> pres;  ///< modules whose outputs it needs; empty only for an entry
  std::vector<ModuleId> subs;  ///< modules that take its output; empty only for sinks
  Branches branches = Branches::kAll;
  std::uint32_t input_bytes = 0;  ///< size in bytes of the tensor that a visit brings; 0: not declared
  /// Height in pixels, 24 bits each, of the image that a visit brings; 0: not declared.
  int input_height = 0;
  int input_width = 0;  ///< width in pixels of the same image
  /// One weight per entry of `subs`. kOne: positive; kEach: probabilities above 0, at most 1; kAll: empty.
  std::vector<double> branch_weights;
  ModuleId task = 0;  ///< first module of its task, if it belongs to a task tree
  /// Accuracy of the model, above 0 and at most 1, relative to the best model of its task (Loki, section
  /// 6.1).
  double accuracy = 1;
  std::string accuracy_source;  ///< citation of the accuracy, one line; empty if not given
  /// For tasks only, by entry of `subs`: the mean number of visits there that a visit causes (Loki, section
  /// 4.1: the multiplicative factor times the branch ratio).
  std::vector<double> fan_out;
  InputPlace place;  ///< place of its name, for messages; empty if it is not in a file
};

/// A directed acyclic graph with exactly one entry, from which every module is reachable; or several
/// independent graphs without edges between them, each with streams of its own (arrivals.h). Modules are in
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

/// One task of a file, before its variants become modules.
struct TaskSpec {
  std::string name;
  std::vector<std::string> subs;  ///< names of the tasks after it
  /// At least one; `fan_out` is by entry of `subs`; pres, subs and task are not set yet.
  std::vector<Module> variants;
};

/// Fills in `tasks` and `modules` from a task tree. Tasks are in topological order, variants in order of
/// falling accuracy (equal ones as given) and named "task:model". Returns "" or what is wrong.
std::string link_tasks(Pipeline& pipeline, const std::vector<TaskSpec>& tasks);

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
