// The transfer of rows between memory and a dataset. Internal to record/.
#pragma once

#include <cstddef>

#include "harness/record/hdf5/hdf5_handle.h"

namespace harness {

/// The dataspaces of a transfer of `count` rows from row `first` on.
struct RowsOfFile {
  RowsOfFile(hid_t dataset, hsize_t first, hsize_t count);

  Hdf5Handle in_file;
  Hdf5Handle in_memory;
};

/// Returns the properties of a transfer of `rows` rows of `row` bytes each (in memory or in the file,
/// whichever is larger). They bound the library's buffers for conversions: it clears these at every transfer,
/// by default 1 MiB each, which is far more than most tables need.
Hdf5Handle transfer_properties(std::size_t row, std::size_t rows);

}  // namespace harness
