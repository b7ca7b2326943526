// The way in which the ranks of this job were started.
#pragma once

#include <string>

namespace harness {

/// The way in which the ranks were started, as the launcher's environment says.
struct Launch {
  bool by_mpi = false;    ///< true: an MPI launcher's variables are set
  int size = 0;           ///< number of tasks by the launcher or Slurm; 0: unknown
  bool by_slurm = false;  ///< true: this process is a task of a Slurm step
  std::string library;    ///< MPI library that runs, in words
};
/// Reads the environment of this process; leaves `library` empty.
Launch launch_of_this_process();

}  // namespace harness
