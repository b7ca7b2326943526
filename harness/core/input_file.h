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

/// Returns the place at which a file is refused: the key that names it, "e.toml:3: cluster.profiles =
/// p.toml". If no key names it, `named_at` is empty and the place is the file itself.
InputPlace place_of_file(const std::string& path, const InputPlace& named_at);

/// The identity of a file and the times of its last changes: as long as this stays the same, so does the
/// file's content.
using FileState = std::array<std::int64_t, 7>;
FileState state_of(const struct stat& status);

/// A regular file, open for reading as long as the object lives. Opening and reading never wait: a FIFO, a
/// device, a socket or a folder is refused at once.
class InputFile {
 public:
  /// Throws InputError at place_of_file(), saying what is there and what is `allowed`, or EnvironmentError if
  /// the process has no descriptor left.
  explicit InputFile(const std::string& path, std::string_view allowed = "a readable file",
                     const InputPlace& named_at = {});
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  /// Returns the file's size in bytes when it was opened; 0 for the files of /proc.
  std::uint64_t size() const { return size_; }
  /// Reads the next bytes, at most `capacity`; returns their number, 0 at the end. Throws InputError.
  std::size_t read(char* into, std::size_t capacity);
  /// Returns the descriptor, for reading at any place.
  int descriptor() const { return descriptor_; }

 private:
  InputPlace place_;
  std::string allowed_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace harness
