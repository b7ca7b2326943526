// What is left of a cell that ends the program, so that the next run goes on without it.
#pragma once

#include <string>

namespace harness {

/// Stands while a cell runs in this process; one at a time. When the program ends by a signal of its own
/// (segmentation fault, abort, ...), or when the cell is still running at twice its limit and 10 s, because
/// some step of it never looked at the clock, the file `path` is written with the reason in a line, and a
/// message says so. The program then starts again, or ends as it would have, or with exit code 3.
class CrashMark {
 public:
  /// `title` names the cell. An empty `path`: the cell's plan is being made, and no mark is left. `limit_s`
  /// 0: it may take as long as it wants. `starts_again`: see start_again_after_crashes().
  CrashMark(const std::string& path, const std::string& title, double limit_s, bool starts_again = false);
  ~CrashMark();
  CrashMark(const CrashMark&) = delete;
  CrashMark& operator=(const CrashMark&) = delete;
};

/// From now on a crash in a cell that `starts_again` (not a signal that another process sent) starts the
/// program again, in this process and with its own arguments but for --fresh, so that it records that cell as
/// invalid and runs the others. Not for ranks of a launcher, which would not know them again, and not with
/// --rerun-failed, which would run that cell again.
void start_again_after_crashes();

/// The reason in a mark of an earlier run; empty when there is none. A mark that says something else still
/// tells of a crash. Throws InputError where the mark is no regular file.
std::string crash_in_mark(const std::string& path);

}  // namespace harness
