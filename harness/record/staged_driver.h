// An HDF5 file driver for files that are written once: it writes to a descriptor that the caller owns and
// remembers the first failure. Internal to record/.
#pragma once

#include <hdf5.h>

#include "harness/record/hdf5_handle.h"

namespace harness {

/// A file being written. After the first failure further writes are discarded and reported as done: the
/// library cannot close a file whose last writes fail, and would try again when the program ends. The caller
/// looks at `error` instead.
struct StagedDescriptor {
  int fd = -1;
  int error = 0;  ///< errno of the first failure, 0 when all is well
  haddr_t end = 0;
};

/// File access properties that make H5Fcreate write to `descriptor`, which must outlive the file.
Hdf5Handle staged_access(StagedDescriptor& descriptor);

}  // namespace harness
