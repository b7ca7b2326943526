// What the facts about all ranks of a job mean, and what `harness doctor` tries of sockets and folders.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/doctor/rank_survey.h"
#include "harness/machine/machine_checks.h"

namespace harness {

// What `harness doctor` tries of sockets and of the folder that results go to.

/// Writes, syncs and removes a small file in `folder`, or in the nearest folder above it that exists.
Check check_output_folder(const std::string& folder);
/// Whether HDF5 will be able to lock files there; `setting` is HDF5_USE_FILE_LOCKING, or empty.
Check check_file_locking(const std::string& folder, const std::string& setting);
/// Binds a datagram socket, and sends to it.
Check check_own_socket();

/// How the launcher's environment says that the ranks were started.
struct Launch {
  bool by_mpi = false;    ///< an MPI launcher's variables are set
  int size = 0;           ///< tasks that a launcher or Slurm says there are; 0: nobody says
  bool by_slurm = false;  ///< a task of a Slurm step
  std::string library;    ///< the MPI library that runs, in words
};
/// Reads the environment of this process.
Launch launch_of_this_process();

/// Whether the ranks found each other. `ranks` is what MPI says.
Check check_launch(const Launch& launch, std::span<const RankFacts> facts);
/// Ranks that did not answer; nothing when all did.
std::vector<Check> check_silent(std::span<const RankFacts> facts);
/// The findings of all hosts, one for each that differs, with the hosts' names when there are several.
std::vector<Check> check_hosts(std::span<const RankFacts> facts);
/// Latency between rank 0 and the others. At least two ranks, of which rank 0 and another answered; so too
/// below.
Check check_links(std::span<const RankFacts> facts);
Check check_clocks(std::span<const RankFacts> facts);
/// Whether sleeping ranks are woken.
Check check_wakes(std::span<const RankFacts> facts);

}  // namespace harness
