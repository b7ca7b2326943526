// Files that jobs of Open MPI leave on a host if mpirun is killed: shared memory and the folders of their
// sessions.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// The folders in which a host keeps them.
struct MpiFolders {
  std::string shared_memory = "/dev/shm";
  std::string sessions;  ///< folder of temporary files
  std::string processes = "/proc";
};

/// Returns the folders that this process uses.
MpiFolders usual_mpi_folders();

/// Removes the files and folders that this user's jobs have left here, and returns their paths, in order. The
/// paths of a running job stay: a file or a folder stays while a process of this user has it, or something
/// below it, open or mapped, and a session stays while its mpirun lives. Processes of other containers that
/// share the folders are not seen.
std::vector<std::string> remove_mpi_leftovers(const MpiFolders& folders);

}  // namespace harness
