// The mark that is left of a cell that ends the program, so that the next run goes on without the cell.
#pragma once

#include <string>

namespace harness {

/// Exists while a cell runs in this process; one at a time. If the program ends by a signal of its own
/// (segmentation fault, abort, ...), or if the cell is still running at twice its limit and 10 s because some
/// step of it never looked at the clock, it writes the file `path` with the reason in a line, and prints a
/// message. The program then starts again, or ends as it would have, or with exit code 3.
class CrashMark {
 public:
  /// `title` names the cell. An empty `path` means that the cell's plan is being made: no mark is left.
  /// `limit_s` 0: it may take as long as it wants. `starts_again`: see start_again_after_crashes().
  CrashMark(const std::string& path, const std::string& title, double limit_s, bool starts_again = false);
  ~CrashMark();
  CrashMark(const CrashMark&) = delete;
  CrashMark& operator=(const CrashMark&) = delete;
};

/// From this call on, a crash in a cell that `starts_again` (not a signal that another process sent) starts
/// the program again, in this process and with its own arguments except --fresh, so that it records that cell
/// as invalid and runs the others. Ranks of a launcher must not call it, because the launcher would not know
/// them again; nor a program with --rerun-failed, which would run that cell again.
void start_again_after_crashes();

/// Returns the reason in the mark of an earlier run; empty if there is no mark. A mark that says something
/// else still tells of a crash. Throws InputError if the mark is no regular file.
std::string crash_in_mark(const std::string& path);

}  // namespace harness
