// What a bug ends, and what its message tells of the running cell.
#pragma once

#include <string>

namespace harness {

/// The seed and the virtual time of the cell now running in this thread, for report_bug.
struct BugContext {
  unsigned long long seed = 0;
  const long long* now_ns = nullptr;
};
/// Sets the context for this thread; pass {} to clear it.
void set_bug_context(const BugContext& context);

/// While an object of this class exists, a bug in this thread ends the cell that runs here instead of the
/// program; its destructor clears the BugContext. Objects are not nested.
class BugsFailCells {
 public:
  BugsFailCells();
  ~BugsFailCells();
  BugsFailCells(const BugsFailCells&) = delete;
  BugsFailCells& operator=(const BugsFailCells&) = delete;
};

/// Prints the line with the running cell's seed and virtual time, then aborts. While this thread has a
/// BugsFailCells, it throws CellFailed with that line instead.
[[noreturn]] void end_by_bug(std::string line);

}  // namespace harness
