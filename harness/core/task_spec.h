// The tasks of a file, and the pipeline that they make.
#pragma once

#include <string>
#include <vector>

#include "harness/core/module.h"
#include "harness/core/pipeline.h"

namespace harness {

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

}  // namespace harness
