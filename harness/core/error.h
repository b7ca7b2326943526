// The three kinds of failure. An outcome (dropped, late) is data, never an exception.
#pragma once

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// Numbers of things in messages.

/// "1 cell", "2 cells".
inline std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// `text` as it may be printed, on one line: bytes are shown escaped ("\\x0a") that are a control character,
/// change the direction of what follows or are no UTF-8. Of more than `longest` bytes the beginning and the
/// end are kept, with "..." between them.
std::string printable(std::string_view text, std::size_t longest = std::string_view::npos);
/// The same of each of its lines.
std::string printable_lines(std::string_view text);
/// How many bytes at the beginning of `text` are one character that may be printed; 0: none.
std::size_t printable_bytes(std::string_view text);

/// Bad input: what() is one line "FILE:LINE: KEY: found X; allowed: Y". The program exits with 2, nothing
/// written.
class InputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The environment failed while running (disk full, read-only folder). The program exits with 3; what is
/// finished stays.
class EnvironmentError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What to tell a user of what was thrown: what() of it, or that there is not enough memory.
std::string reason_of(const std::exception& error);

/// Where an input stands, for messages. `line` 0 means unknown and is left out, as are empty parts.
struct InputPlace {
  std::string file;
  int line = 0;
  std::string key;
};

/// Makes the line "FILE:LINE: KEY: SENTENCE", for what is no value of a key. All of it is printable and of a
/// bounded length, whatever the input was.
InputError input_refusal(const InputPlace& place, std::string_view sentence);
/// Makes the one clear line of an InputError; with "nothing" found, "missing; expected ALLOWED". Of a long
/// `found` the beginning and the end are shown.
InputError input_error(const InputPlace& place, std::string_view found, std::string_view allowed);

/// The candidate nearest to `word` by edit distance, case aside; when none is near (at most half of its
/// length away), the first that begins with it (slo: slo_ms), or "". Words of more than 200 bytes are near
/// none.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// "a, b, c" for messages.
std::string join_names(const std::vector<std::string>& names);

/// Throws the InputError of a name that is none of `known`, with the nearest; `what` says what it should
/// name.
[[noreturn]] void throw_unknown(const InputPlace& place, const std::string& what, const std::string& name,
                                const std::vector<std::string>& known);

/// For bugs only: prints `what` with the running cell's seed and virtual time, then aborts. While this thread
/// has a BugsFailCells, throws CellFailed with that line instead.
[[noreturn]] void report_bug(const char* file, int line, const char* what);

/// The same for a decision of a serving system that the contract (serving/scheduler.h) does not allow.
[[noreturn]] void report_bad_decision(const char* what);

/// Where report_bug looks up the seed and virtual time of the cell now running in this thread.
struct BugContext {
  unsigned long long seed = 0;
  const long long* now_ns = nullptr;
};
/// Sets the context for this thread; pass {} to clear it.
void set_bug_context(const BugContext& context);

// A failure that ends one cell of an experiment and no other.

/// The cell's run cannot go on, on any rank, and the ranks can go on with the next cell: a device could not
/// run a batch, a simulation stands still or outgrows its limits. what() says why in a line.
class CellFailed : public EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

/// While it exists, a bug in this thread ends the cell that runs here instead of the program; its end clears
/// the BugContext. Not nested.
class BugsFailCells {
 public:
  BugsFailCells();
  ~BugsFailCells();
  BugsFailCells(const BugsFailCells&) = delete;
  BugsFailCells& operator=(const BugsFailCells&) = delete;
};

}  // namespace harness

/// What a decision of a serving system must keep, as HARNESS_CHECK.
#define HARNESS_CHECK_DECISION(condition, what) \
  do {                                          \
    if (!(condition)) [[unlikely]]              \
      ::harness::report_bad_decision(what);     \
  } while (false)

/// An invariant of the program: on failure the run stops as a bug, in every build.
#define HARNESS_CHECK(condition, what)                 \
  do {                                                 \
    if (!(condition)) [[unlikely]]                     \
      ::harness::report_bug(__FILE__, __LINE__, what); \
  } while (false)
