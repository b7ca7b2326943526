// The checksum of a whole file, in a block before the bytes that HDF5 wrote: one line of text, then zeros.
// HDF5 calls this a user block and skips it. Internal to record/.
#pragma once

#include <cstddef>
#include <string>

namespace harness {

/// The smallest user block of HDF5.
inline constexpr std::size_t kSealBytes = 512;

/// The state of a file according to its block.
enum class FileSeal {
  kMatches,   ///< a file that is as it was when it was sealed
  kDamaged,   ///< a file that has changed since
  kGrown,     ///< a file that is longer than it was then: another program has written into it
  kUnsealed,  ///< an HDF5 file that begins without a block, as older versions wrote them
  kForeign,   ///< any other file, which is no HDF5 file of the harness
};

/// Writes the block of the open file, whose first kSealBytes are free. Returns 0, or the errno of the
/// failure.
int seal_file(int fd);
/// Reads the whole file and compares it with its block. Throws InputError naming the path if it cannot be
/// read.
FileSeal check_seal(int fd, const std::string& path);

/// Writes all of the bytes at `offset`. Returns 0, or the errno of the failure.
int write_whole(int fd, const void* bytes, std::size_t size, std::size_t offset);

}  // namespace harness
