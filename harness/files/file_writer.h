// Files that appear only when they are complete.
#pragma once

#include <string>
#include <string_view>

namespace harness {

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

/// Writes all of it. Returns 0, or the errno that says why not: a write that takes only a part is followed by
/// another, which fails for the true reason (a full disk, a limit on the size of files, a quota).
int write_fully(int descriptor, std::string_view bytes);

}  // namespace harness
