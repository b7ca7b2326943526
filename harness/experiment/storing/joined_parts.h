// Results of parts of one experiment (--part), joined in one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// What parts have been joined in.
struct JoinedParts {
  std::size_t cells = 0;
  std::size_t failed = 0;             ///< skipped or invalid
  std::size_t missing = 0;            ///< of the experiment's, where it is known how many it has
  std::vector<std::uint32_t> absent;  ///< the first few of those
};

/// Joins results of parts of one experiment (RunOptions::part) in the results file `output`, to which they
/// are added if it is there: a cell that failed in it gives way to one that did not. Throws InputError,
/// before it writes anything, where parts are of other settings or another build, or have a cell with and
/// without success; EnvironmentError when a run writes there.
JoinedParts collect_parts(const std::vector<std::string>& parts, const std::string& output);

}  // namespace harness
