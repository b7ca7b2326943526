#include "harness/doctor/launch.h"

#include <cstdlib>

namespace harness {
namespace {

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

Launch launch_of_this_process() {
  Launch launch;
  launch.by_slurm = std::getenv("SLURM_PROCID") != nullptr && std::getenv("SLURM_STEP_ID") != nullptr;
  for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    launch.by_mpi = launch.by_mpi || std::getenv(rank) != nullptr;
  for (const char* size : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (launch.size == 0) launch.size = number_in(size);
  if (launch.size == 0 && launch.by_slurm) launch.size = number_in("SLURM_STEP_NUM_TASKS");
  return launch;
}

}  // namespace harness
