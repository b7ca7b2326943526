// Results of parts of one experiment (--part), joined in one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// The result of joining parts.
struct JoinedParts {
  std::size_t cells = 0;
  std::size_t failed = 0;   ///< number of cells that are skipped or invalid
  std::size_t missing = 0;  ///< number of missing cells; 0 if the experiment's number of cells is unknown
  std::vector<std::uint32_t> absent;  ///< indices of the first few missing cells
};

/// Joins the results of parts of one experiment (RunOptions::part) in the results file `output`. If `output`
/// exists, the parts are added to it, and a cell that failed there is replaced by one that succeeded. Throws
/// InputError, before it writes anything, if the parts differ in settings or build, or if a cell succeeded in
/// one part and failed in another. Throws EnvironmentError if a run is writing to `output`.
JoinedParts collect_parts(const std::vector<std::string>& parts, const std::string& output);

}  // namespace harness
