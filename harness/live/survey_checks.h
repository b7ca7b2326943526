// What the facts about all ranks of a job mean.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/live/rank_survey.h"

namespace harness {

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
