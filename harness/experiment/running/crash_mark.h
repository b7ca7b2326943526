// What is left of a cell that ends the program, so that the next run goes on without it.
#pragma once

#include <string>

namespace harness {

/// Stands while a cell runs in this process; one at a time. When the program ends by a signal of its own
/// (segmentation fault, abort, ...), or when the cell is still running at twice its limit and 10 s, because
/// some step of it never looked at the clock, the file `path` is written with the reason in a line, and a
/// message says so. The program then ends as it would have, or with exit code 3.
class CrashMark {
 public:
  /// `title` names the cell. `limit_s` 0: it may take as long as it wants.
  CrashMark(const std::string& path, const std::string& title, double limit_s);
  ~CrashMark();
  CrashMark(const CrashMark&) = delete;
  CrashMark& operator=(const CrashMark&) = delete;
};

/// The reason in a mark of an earlier run; empty when there is none. A mark that says something else still
/// tells of a crash. Throws InputError where the mark is no regular file.
std::string crash_in_mark(const std::string& path);

}  // namespace harness
