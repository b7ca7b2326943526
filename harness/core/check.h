// Checks of what the program and its systems must keep, in every build. A failure is a bug.
#pragma once

namespace harness {

/// For bugs only: prints `what` with the running cell's seed and virtual time, then aborts. While this thread
/// has a BugsFailCells, it throws CellFailed with that line instead.
[[noreturn]] void report_bug(const char* file, int line, const char* what);

/// Does the same for a decision of a serving system that the contract (serving/scheduler.h) does not allow.
[[noreturn]] void report_bad_decision(const char* what);

}  // namespace harness

/// Checks, as HARNESS_CHECK does, a condition that a decision of a serving system must keep.
#define HARNESS_CHECK_DECISION(condition, what) \
  do {                                          \
    if (!(condition)) [[unlikely]]              \
      ::harness::report_bad_decision(what);     \
  } while (false)

/// Checks an invariant of the program: on failure the run stops as a bug, in every build.
#define HARNESS_CHECK(condition, what)                 \
  do {                                                 \
    if (!(condition)) [[unlikely]]                     \
      ::harness::report_bug(__FILE__, __LINE__, what); \
  } while (false)
