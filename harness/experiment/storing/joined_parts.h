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

/// Joins results of parts of one experiment (RunOptions::part) in the results file `output`. If it is there,
/// they are added to it: a cell that failed in it gives way to one that did not. Throws InputError, before it
/// writes anything, if parts are of other settings or another build, or if one part has a cell with success
/// and another without; EnvironmentError if a run writes there.
JoinedParts collect_parts(const std::vector<std::string>& parts, const std::string& output);

}  // namespace harness
