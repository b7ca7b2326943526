// The notes that tell a user which batch sizes run without a CUDA graph.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace harness {

/// A batch size that has no graphs, and the reason.
struct RefusedSize {
  int batch = 0;
  std::string why;
};

/// Returns lines such as "batch 3 to 8 without a CUDA graph: WHY", one for all sizes that are neighbours in
/// `sizes` and refused for the same reason. `sizes` are all sizes that were tried; both lists rise, and each
/// refused size is in `sizes`.
std::vector<std::string> graph_notes(std::span<const int> sizes, std::span<const RefusedSize> refused);

}  // namespace harness
