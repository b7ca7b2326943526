// What a user is told of batch sizes that run without a CUDA graph.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace harness {

/// Why a batch size has no graphs.
struct RefusedSize {
  int batch = 0;
  std::string why;
};

/// "batch 3 to 8 without a CUDA graph: WHY": a line for sizes that are neighbours in `sizes` and refused for
/// the same reason. `sizes` are all that were tried; both rise, and each refused size is one of them.
std::vector<std::string> graph_notes(std::span<const int> sizes, std::span<const RefusedSize> refused);

}  // namespace harness
