// The one way to open what a user names as an input.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/core/error.h"

struct stat;

namespace harness {

/// Returns the place at which a file is refused: the key that names it, "e.toml:3: cluster.profiles =
/// p.toml". Where no key does, `named_at` is empty and the place is the file itself.
InputPlace place_of_file(const std::string& path, const InputPlace& named_at);

/// What a file is and when it was last written: as long as this stays the same, so does what is in it.
using FileState = std::array<std::int64_t, 7>;
FileState state_of(const struct stat& status);

/// A regular file, open for reading until the end of its life. Opening and reading never wait: a FIFO, a
/// device, a socket or a folder is refused at once.
class InputFile {
 public:
  /// Throws InputError at place_of_file(), with what is there and what is `allowed`; EnvironmentError when
  /// the process has no descriptor left.
  explicit InputFile(const std::string& path, std::string_view allowed = "a readable file",
                     const InputPlace& named_at = {});
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  /// Bytes of the file when it was opened; 0 for those of /proc.
  std::uint64_t size() const { return size_; }
  /// The next bytes, at most `capacity`; returns how many, 0 at the end. Throws InputError.
  std::size_t read(char* into, std::size_t capacity);
  /// For reading at any place.
  int descriptor() const { return descriptor_; }

 private:
  InputPlace place_;
  std::string allowed_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace harness
