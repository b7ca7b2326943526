// The execution time of a stage by its cores (QUART, section 5.3).
#pragma once

#include <vector>

namespace harness {

/// The execution time of a stage over its cores, by linear regression: gpu_s + cpu_core_s / cores.
struct CoreModel {
  double gpu_s = 0;
  double cpu_core_s = 0;

  double exec_s(int cores) const { return gpu_s + cpu_core_s / cores; }
};

/// Fits the model by least squares to the times of batches with 1, 2, ... cores, at least two of them.
CoreModel fitted_core_model(const std::vector<double>& exec_s);

}  // namespace harness
