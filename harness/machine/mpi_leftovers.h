// What jobs of Open MPI leave on a host when mpirun is killed: shared memory and the folders of their
// sessions.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// Where a host keeps them.
struct MpiFolders {
  std::string shared_memory = "/dev/shm";
  std::string sessions;  ///< the folder of temporary files
  std::string processes = "/proc";
};

/// Those of this process.
MpiFolders usual_mpi_folders();

/// Removes what this user's jobs have left here, and returns the paths, in order. A job's that still runs
/// stays: a file or a folder stays while a process of this user has it, or something below it, open or
/// mapped, and a session while its mpirun lives. Processes of other containers that share the folders are not
/// seen.
std::vector<std::string> remove_mpi_leftovers(const MpiFolders& folders);

}  // namespace harness
