// The transport between the ranks of an MPI job.
#pragma once

#include <memory>

#include "harness/live/transport/transport.h"
#include "harness/live/transport/wake_by.h"

namespace harness {

/// Makes the transport between the ranks of MPI_COMM_WORLD. The call is collective, and so is the end of the
/// transport, which waits until all ranks end theirs and drops what has not been received. MPI must have been
/// started, and must end after the transport. With one rank, or without MPI, it is a local transport.
std::unique_ptr<Transport> make_mpi_transport(WakeBy by = WakeBy::kMemory);

}  // namespace harness
