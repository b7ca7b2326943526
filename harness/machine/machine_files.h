// The kernel's files, from which facts about a machine come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace harness {

/// The files of the kernel below a folder, which is "/" outside of tests. For a file that is missing or
/// cannot be read the result is nothing; it is never an error.
class MachineFiles {
 public:
  explicit MachineFiles(std::string root = "/") : root_(std::move(root)) {}
  /// Returns the file's text without white space at its end.
  std::optional<std::string> read(const std::string& path) const;
  /// Returns the whole number that is the file's only content.
  std::optional<std::int64_t> read_number(const std::string& path) const;
  bool exists(const std::string& path) const;
  std::string path(const std::string& path) const { return root_ + "/" + path; }

 private:
  std::string root_;
};

}  // namespace harness
