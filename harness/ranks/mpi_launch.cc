#include "harness/ranks/mpi_launch.h"

// The C interface only.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdlib>

namespace harness {
namespace {

const char* launcher_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* value = std::getenv(name)) return value;
  }
  return nullptr;
}

}  // namespace

bool is_launched() { return launcher_rank() != nullptr; }

int launched_rank() {
  const char* rank = launcher_rank();
  return rank == nullptr ? 0 : std::atoi(rank);
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text);
  return all.substr(0, all.find_first_of(",\n"));  // Open MPI's goes on with who built it, and when
}

}  // namespace harness
