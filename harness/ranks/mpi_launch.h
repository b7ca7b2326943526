// Whether, and by which MPI, this process was started as one of several ranks. Nothing here starts MPI.
#pragma once

#include <string>

namespace harness {

/// Returns true if a launcher of MPI started this process, as the environment says.
bool is_launched();
/// Returns the rank of this process as the launcher's environment says, without starting MPI; 0 if there is
/// no launcher.
int launched_rank();
/// Returns name and version of the MPI library that runs, on one line; MPI need not be started.
std::string mpi_library();

}  // namespace harness
