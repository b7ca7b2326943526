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

/// Returns the number with its noun: "1 cell", "2 cells".
inline std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Returns `text` as it may be printed, on one line. Bytes are shown escaped ("\\x0a") if they are a control
/// character, change the direction of what follows or are not UTF-8. If the text has more than `longest`
/// bytes, the beginning and the end are kept, with "..." between them.
std::string printable(std::string_view text, std::size_t longest = std::string_view::npos);
/// Does the same to each line of the text.
std::string printable_lines(std::string_view text);
/// Returns the number of bytes at the beginning of `text` that are one character which may be printed; 0 if
/// there is no such character.
std::size_t printable_bytes(std::string_view text);

/// Bad input: what() is one line "FILE:LINE: KEY: found X; allowed: Y". The program exits with 2 and has
/// written nothing.
class InputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The environment failed while running (disk full, read-only folder). The program exits with 3; finished
/// results stay.
class EnvironmentError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns what to tell a user about what was thrown: its what(), or that there is not enough memory.
std::string reason_of(const std::exception& error);

/// The place of an input, for messages. `line` 0 means unknown and is left out, as are empty parts.
struct InputPlace {
  std::string file;
  int line = 0;
  std::string key;
};

/// Makes the line "FILE:LINE: KEY: SENTENCE", for a fault that does not lie in the value of a key. All of it
/// is printable and of a bounded length, whatever the input was.
InputError input_refusal(const InputPlace& place, std::string_view sentence);
/// Makes the one clear line of an InputError. If `found` is "nothing", it says "missing; expected ALLOWED". A
/// long `found` is shown by its beginning and its end.
InputError input_error(const InputPlace& place, std::string_view found, std::string_view allowed);

/// Returns the candidate nearest to `word` by edit distance, case aside. If no candidate is near (at most
/// half of the word's length away), returns the first that begins with it (slo: slo_ms), or "". Words of more
/// than 200 bytes are near to no other.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// Returns "a, b, c" for messages.
std::string join_names(const std::vector<std::string>& names);

/// Throws the InputError of a name that is not in `known`, with the nearest known name. `what` says what the
/// name should denote.
[[noreturn]] void throw_unknown(const InputPlace& place, const std::string& what, const std::string& name,
                                const std::vector<std::string>& known);

/// For bugs only: prints `what` with the running cell's seed and virtual time, then aborts. While this thread
/// has a BugsFailCells, it throws CellFailed with that line instead.
[[noreturn]] void report_bug(const char* file, int line, const char* what);

/// Does the same for a decision of a serving system that the contract (serving/scheduler.h) does not allow.
[[noreturn]] void report_bad_decision(const char* what);

/// The seed and the virtual time of the cell now running in this thread, for report_bug.
struct BugContext {
  unsigned long long seed = 0;
  const long long* now_ns = nullptr;
};
/// Sets the context for this thread; pass {} to clear it.
void set_bug_context(const BugContext& context);

// A failure that ends one cell of an experiment and no other.

/// The cell's run cannot go on, on any rank, but the ranks can go on with the next cell: a device could not
/// run a batch, a simulation makes no progress or outgrows its limits. what() says why in a line.
class CellFailed : public EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

/// While an object of this class exists, a bug in this thread ends the cell that runs here instead of the
/// program; its destructor clears the BugContext. Objects are not nested.
class BugsFailCells {
 public:
  BugsFailCells();
  ~BugsFailCells();
  BugsFailCells(const BugsFailCells&) = delete;
  BugsFailCells& operator=(const BugsFailCells&) = delete;
};

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
