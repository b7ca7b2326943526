// What this program was built from. It is in a library of its own (harness_build_info): the others stay as
// they are when only the commit changes.
#pragma once

#include <string>

namespace harness {

/// The commit, or "unknown" outside a clone; kGitDirty is true if tracked files differed from it.
extern const char* const kGitCommit;
extern const bool kGitDirty;

/// Returns "harness 0.1.0, gcc 12.2.0, HDF5 1.10.8, MPI 3.1 ...".
std::string version_text();

}  // namespace harness
