// What this program was built from.
#pragma once

#include <string>

namespace harness {

/// The commit, or "unknown" outside a clone, and whether tracked files differed from it.
extern const char* const kGitCommit;
extern const bool kGitDirty;

/// "harness 0.1.0, gcc 12.2.0, HDF5 1.10.8, MPI 3.1 ...".
std::string version_text();
/// Processor and number of cores.
std::string machine_text();
/// Identifies the program: a hash of its own file and of the module of its devices, where there is one. Two
/// builds from the same sources, compiler and libraries agree.
std::string build_id();

}  // namespace harness
