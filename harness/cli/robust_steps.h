// What `harness robust` runs: an experiment under its own setting and, a step away, under others.
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
  std::string why_not;  ///< not empty: the experiment cannot take it, or the budget ends before
};

struct RobustPlan {
  std::string file;  ///< the name of an experiment in the folder of the original, for `text`; it is not there
  std::string text;  ///< the original, with a [[setting]] for each step that is taken
  std::vector<RobustStep> steps;
  std::size_t own_cells = 0;  ///< of the setting as written
};

/// The steps of an experiment: those of its [robustness], then the standard ones by how often they decide:
/// commit, queue, sizing factor, the systems' readings (Param::reading), execution times, jitter, dispatch.
std::vector<RobustStep> robust_steps(const ExperimentSpec& spec);

/// Reads the experiment and plans cells until the budget ends. Throws InputError: also for an experiment that
/// is not simulated or has settings of its own, and for a budget without room for any step.
RobustPlan plan_robust(const std::string& file, const std::vector<std::string>& overrides);

}  // namespace harness
