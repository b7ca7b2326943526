// The checksum of a whole file, in a block before what HDF5 wrote: one line of text, zeros behind it. HDF5
// calls that a user block and passes over it. Internal to record/.
#pragma once

#include <cstddef>
#include <string>

#include "harness/core/error.h"

namespace harness {

/// The smallest user block of HDF5.
inline constexpr std::size_t kSealBytes = 512;

/// What the block of a file says.
enum class Seal {
  kMatches,   ///< the file is as it was when it was sealed
  kDamaged,   ///< it is not
  kGrown,     ///< it is longer than it was then: another program has written into it
  kUnsealed,  ///< an HDF5 file that begins without a block, as older versions wrote them
  kForeign,   ///< neither: no HDF5 file of ours
};

/// Writes the block of the open file, whose first kSealBytes are free. Returns 0, or the errno of what
/// failed.
int seal_file(int fd);
/// Reads the whole file. Throws InputError naming the path when it cannot be read.
Seal check_seal(int fd, const std::string& path);

/// Writes all of the bytes at `offset`. Returns 0, or the errno of what failed.
int write_whole(int fd, const void* bytes, std::size_t size, std::size_t offset);

}  // namespace harness
