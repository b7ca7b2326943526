#include "harness/live/transport/shared_board.h"

// The C interface only.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstddef>
#include <vector>

namespace harness {

struct SharedBoard::Memory {
  MPI_Win window = MPI_WIN_NULL;
};

SharedBoard::SharedBoard() : memory_(std::make_unique<Memory>()) {
  MPI_Comm host = MPI_COMM_NULL;
  int rank = 0;
  int ranks = 0;
  int here = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &here);
  std::vector<int> ranks_here(static_cast<std::size_t>(here));
  MPI_Allgather(&rank, 1, MPI_INT, ranks_here.data(), 1, MPI_INT, host);
  void* own = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(WakeBoard::bytes(ranks)), 1, MPI_INFO_NULL, host, &own,
                          &memory_->window);
  std::vector<void*> parts(static_cast<std::size_t>(ranks));
  for (int i = 0; i < here; ++i) {
    MPI_Aint size = 0;
    int unit = 0;
    void** part = &parts[static_cast<std::size_t>(ranks_here[static_cast<std::size_t>(i)])];
    MPI_Win_shared_query(memory_->window, i, &size, &unit, part);
  }
  board_ = std::make_unique<WakeBoard>(rank, parts);
  MPI_Barrier(host);
  MPI_Comm_free(&host);
}

SharedBoard::~SharedBoard() = default;

void SharedBoard::leave() {
  board_.reset();
  MPI_Win_free(&memory_->window);
}

}  // namespace harness
