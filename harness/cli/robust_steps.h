// The runs of `harness robust`: an experiment under its own setting and under settings that are one step
// away.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/experiment/reading/experiment_spec.h"

namespace harness {

/// The name of the setting without any step.
inline constexpr const char* kAsWritten = "as written";

/// One step away from the experiment's own setting.
struct RobustStep {
  std::string name;
  std::vector<Assignment> values;
  std::size_t cells = 0;
  std::string why_not;  ///< reason why the step is not taken: the experiment cannot, or the budget ends
                        ///< before; empty: it is taken
};

struct RobustPlan {
  std::string file;  ///< name under which `text` is read, in the folder of the original; no such file exists
  std::string text;  ///< text of the original, with a [[setting]] for each step that is taken
  std::vector<RobustStep> steps;
  std::size_t own_cells = 0;  ///< number of cells of the setting as written
};

/// Returns the steps of an experiment: the steps of its [robustness], then the standard ones by how often
/// they decide: commit, queue, sizing factor, the systems' readings (Param::reading), execution times,
/// jitter, dispatch.
std::vector<RobustStep> robust_steps(const ExperimentSpec& spec);

/// Reads the experiment and plans cells until the budget ends. Throws InputError, also for an experiment that
/// is not simulated or has settings of its own, and for a budget without room for any step.
RobustPlan plan_robust(const std::string& file, const std::vector<std::string>& overrides);

}  // namespace harness
