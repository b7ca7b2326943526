// The one way to open a file that a user names as an input.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/core/input_error.h"

struct stat;

namespace harness {

/// Returns what an error about a file names as its place. `named_at` is the key that names the file, as in
/// "e.toml:3: cluster.profiles = p.toml"; if it is empty, the place is the file itself.
InputPlace place_of_file(const std::string& path, const InputPlace& named_at);

/// The identity of a file, its size and the times of its last changes: st_dev, st_ino, st_size, then seconds
/// and nanoseconds of st_mtim and of st_ctim. As long as all stay the same, the content is taken to be, too.
using FileState = std::array<std::int64_t, 7>;
FileState state_of(const struct stat& status);

/// A regular file, open for reading as long as the object lives. Opening and reading never wait: a FIFO, a
/// device, a socket or a folder is refused at once.
class InputFile {
 public:
  /// Throws InputError at place_of_file() if the file cannot be read, or EnvironmentError if the process has
  /// no descriptor left. `allowed` is the noun phrase with which the InputError says what it expected there.
  explicit InputFile(const std::string& path, std::string_view allowed = "a readable file",
                     const InputPlace& named_at = {});
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  /// Returns the file's size in bytes when it was opened; 0 for the files of /proc.
  std::uint64_t size() const { return size_; }
  /// Reads the next bytes, at most `capacity`; returns their number, 0 at the end. Throws InputError.
  std::size_t read(char* into, std::size_t capacity);
  /// Returns the descriptor, for pread(), which does not move the position of read(), and for fstat().
  int descriptor() const { return descriptor_; }

 private:
  InputPlace place_;
  std::string allowed_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace harness
