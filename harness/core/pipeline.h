// A pipeline: a DAG of modules in PARD's terms (name, pres, subs; PARD section 5.1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/types.h"

namespace harness {

/// Where a module sends a request that it has served: to all of its `subs`, or to one of them, chosen at
/// random for each request (PARD section 5.2, request-specific dynamic paths).
enum class Branches : std::uint8_t { kAll, kOne };

/// One module: hosts one model on its workers.
struct Module {
  std::string name;            ///< unique in the pipeline
  std::string model;           ///< name of a model in the profile set
  std::string file;            ///< TorchScript that devices run as `model`; empty: the zoo's network
  std::string source;          ///< where the choice of the stand-in model comes from, one line
  std::vector<ModuleId> pres;  ///< modules whose outputs it needs; empty only for an entry
  std::vector<ModuleId> subs;  ///< modules that take its output; empty only for sinks
  Branches branches = Branches::kAll;
  std::uint32_t input_bytes = 0;  ///< size of the tensor that a visit brings; 0: not declared
  int input_height = 0;           ///< it is a picture of so many pixels, 24 bits each; 0: not declared
  int input_width = 0;
  std::vector<double> branch_weights;  ///< kOne: positive, one per entry of `subs`; kAll: empty
  InputPlace place;                    ///< of its name, for messages; empty when it is of no file
};

/// A directed acyclic graph with exactly one entry, in which every module is reachable from the entry; or
/// several of them side by side without edges between them, each with streams of its own (stream.h). Modules
/// stand in topological order: every id in `pres` is smaller than the module's own.
struct Pipeline {
  std::string name;
  std::string description;
  TimeNs slo_ns = 0;  ///< the paper's end-to-end objective; an experiment may set another
  std::vector<Module> modules;
  bool side_by_side = false;  ///< it may have several entries

  bool is_chain() const {
    for (const Module& module : modules) {
      if (module.pres.size() > 1 || module.subs.size() > 1) return false;
    }
    return true;
  }
};

/// Puts `modules` (pres given by name in `pres_names[i]`, subs likewise) into topological order, fills in
/// `pres` and `subs` and checks the contract of Pipeline (several entries only where it is `side_by_side`).
/// Returns "" or what is wrong, in words that name the modules concerned.
std::string link_modules(Pipeline& pipeline, const std::vector<std::vector<std::string>>& pres_names,
                         const std::vector<std::vector<std::string>>& subs_names);

/// The choices of all modules with Branches::kOne must not combine to more than this.
inline constexpr std::size_t kMostRoutes = 4096;

/// Makes `module` of a linked pipeline send each request to one of its subs, with probabilities in proportion
/// to `weights`: one positive number for each name in `order`, which names every sub once. Both empty: equal
/// weights. Returns "" or what is wrong; then nothing has changed.
std::string choose_one(Pipeline& pipeline, const std::string& module, const std::vector<std::string>& order,
                       const std::vector<double>& weights);

/// For each module the largest (or smallest) sum of `cost` over any path from just after it to a sink; 0 for
/// sinks. `cost` has one entry per module. PARD section 4.2: a DAG's estimate is the maximum over the paths.
std::vector<double> longest_after(const Pipeline& pipeline, const std::vector<double>& cost);

/// For each module the largest sum of `cost` over the paths from the entry to just before it. A module with
/// several `pres` starts when the last of them is done, so this is also the least time before it when `cost`
/// holds least times.
std::vector<double> longest_before(const Pipeline& pipeline, const std::vector<double>& cost);

/// The modules without pres, ascending.
std::vector<ModuleId> entries_in(const Pipeline& pipeline);

/// By module: the entry from which its requests come.
std::vector<ModuleId> entries_of(const Pipeline& pipeline);

/// By module: whether a path leads to it from `from`, which does not count itself.
std::vector<bool> modules_after(const Pipeline& pipeline, ModuleId from);

/// All paths from the modules after `from` (exclusive) to the sinks; one empty path for a sink. Their number
/// can grow exponentially with the modules.
std::vector<std::vector<ModuleId>> paths_after(const Pipeline& pipeline, ModuleId from);

}  // namespace harness
