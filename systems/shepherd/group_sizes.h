// The numbers of GPUs of groups whose largest needs are given (HERD: the tolerance of a stream is size /
// need).
#pragma once

#include <span>
#include <vector>

namespace harness {

/// Sizes of groups that make the minimum of size / need as large as possible.
struct GroupSizes {
  double tolerance = 0;  ///< the minimum of size / need; infinite if no group has a need
  std::vector<int> gpus;
};

/// Returns the smallest number of GPUs, at least 1, with which `need` has the burst tolerance `tolerance`.
int required_gpus(double need, double tolerance);

/// Returns the best sizes of groups whose largest needs are `tops`: each at least 1 and at most `limit`,
/// together at most `gpus`. GPUs that no longer help the minimum are left over. `gpus` of the result is empty
/// if there are more groups than GPUs.
GroupSizes best_sizes(std::span<const double> tops, int gpus, int limit);

}  // namespace harness
