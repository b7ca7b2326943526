// Whole files in memory, plain or gzipped, their checksums, and files that appear only when they are
// complete.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/core/error.h"

namespace harness {

// SHA-256, for the checksums of input files.

/// Returns the SHA-256 of the bytes, 64 hex digits.
std::string sha256_of(std::string_view bytes);
/// Returns the SHA-256 of all pieces, one behind the other.
std::string sha256_of(std::span<const std::string_view> pieces);
/// Returns the SHA-256 of the file's bytes, whatever its size. Throws InputError as read_file() does if it is
/// no readable regular file.
std::string sha256_of_file(const std::string& path, const InputPlace& named_at = {});

/// The largest size of a text, such as an experiment's: 16 MiB, twice a list of a million seeds.
inline constexpr std::size_t kLargestText = std::size_t{1} << 24;
/// The largest size of a trace, packed or unpacked: 512 MiB, thrice a day of Azure Functions.
inline constexpr std::size_t kLargestTrace = std::size_t{1} << 29;

/// Returns the file's bytes. Throws InputError if it is missing, no regular file, unreadable or above
/// `largest` bytes: at `named_at`, the key that names it (place_of_file()), else naming the path alone.
std::string read_file(const std::string& path, std::size_t largest = kLargestText,
                      const InputPlace& named_at = {});

/// Returns `bytes` as gzip, without a time stamp, so that equal input gives equal files.
std::string packed(std::string_view bytes);

/// Writes all of it. Returns 0, or the errno that says why not: a write that takes only a part is followed by
/// another, which fails for the true reason (a full disk, a limit on the size of files, a quota).
int write_fully(int descriptor, std::string_view bytes);

/// A file that is written piece by piece, under a temporary name beside it; commit() flushes it to the disk
/// and renames it. A symbolic link is replaced, not followed. Paths in /dev and /proc and any device or pipe
/// are written directly (/dev/stdout). All functions throw EnvironmentError naming the path; without a
/// commit() nothing is left behind.
class FileWriter {
 public:
  /// Throws InputError if there are results under that name, which take long to make.
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void add(std::string_view bytes);
  /// Completes the file. Called once, after the last add().
  void commit();

 private:
  std::string path_;
  std::string temporary_;  ///< empty if the file is written directly
  int descriptor_ = -1;
};

/// Writes the file as a FileWriter does; packed if the name ends in .gz.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace harness
