// Checks of the facts about all ranks of a job, and of sockets and folders, for `harness doctor`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/doctor/rank_survey.h"
#include "harness/machine/machine_checks.h"

namespace harness {

// The following try sockets and the folder that results go to.

/// Writes, syncs and removes a small file in `folder`, or in the nearest folder above it that exists.
Check check_output_folder(const std::string& folder);
/// Checks that HDF5 will be able to lock files there; `setting` is HDF5_USE_FILE_LOCKING, or empty.
Check check_file_locking(const std::string& folder, const std::string& setting);
/// Binds a datagram socket, and sends to it.
Check check_own_socket();

/// The way in which the ranks were started, as the launcher's environment says.
struct Launch {
  bool by_mpi = false;    ///< true: an MPI launcher's variables are set
  int size = 0;           ///< number of tasks by the launcher or Slurm; 0: unknown
  bool by_slurm = false;  ///< true: this process is a task of a Slurm step
  std::string library;    ///< MPI library that runs, in words
};
/// Reads the environment of this process; leaves `library` empty.
Launch launch_of_this_process();

/// Checks that the ranks found each other: MPI sees as many, the size of `facts`, as were launched.
Check check_launch(const Launch& launch, std::span<const RankFacts> facts);
/// Returns a failure that names the ranks that did not answer; nothing if all answered.
std::vector<Check> check_silent(std::span<const RankFacts> facts);
/// Returns the findings of all hosts, equal ones once, with the hosts' names if not all hosts have them.
std::vector<Check> check_hosts(std::span<const RankFacts> facts);
/// Checks the latency between rank 0 and the others. This and the next two need at least two ranks, of which
/// rank 0 and another answered.
Check check_links(std::span<const RankFacts> facts);
Check check_clocks(std::span<const RankFacts> facts);
/// Checks that sleeping ranks are woken.
Check check_wakes(std::span<const RankFacts> facts);

}  // namespace harness
