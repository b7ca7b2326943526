// What a run prints, for people or for programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/experiment/running/run_status.h"
#include "harness/text/json.h"

namespace harness {

struct RunEnd;

/// The form in which a run says how far it is: lines for people, lines of JSON (docs/commands.md), or no
/// lines.
enum class ProgressForm { kText, kJson, kQuiet };

/// All that a run prints, except that a rank aborts or is lost, which CellDistribution prints. It goes to
/// standard error unless said otherwise.
class RunConsole {
 public:
  /// `says_end`: true if the end of each experiment is a line on standard output.
  RunConsole(ProgressForm form, bool says_end);

  ProgressForm form() const { return form_; }
  /// Returns true if lines are for people at a terminal, where show() replaces them.
  bool is_terminal() const { return is_terminal_; }

  /// Prints the text on standard output.
  void print(const std::string& text) const;
  /// Prints a note; with kQuiet only a warning.
  void note(const std::string& text) const;
  /// Prints a line for people, with kText only.
  void line(const std::string& text) const;
  /// Prints a line for people as line() does, and for programs a note.
  void remark(const std::string& text) const;
  /// Prints a line of JSON: `event`, then the members of `more`.
  void event(const std::string& event, const JsonObject& more) const;
  /// Prints a line of progress; at a terminal it takes the place of the one before.
  void show(const std::string& line) const;
  /// Removes the line of progress at a terminal.
  void clear() const;

  /// Says that the experiment in `file` begins, and how much of it is finished.
  void begin(const std::string& file, const RunStatus& status) const;
  /// Says how the experiment has ended, and why cells are skipped or invalid. Its line on standard output
  /// comes with `says_end` only.
  void end(const RunEnd& end) const;
  /// Says how each experiment of a suite has ended, on standard output.
  void end_suite(const std::string& name, const std::vector<RunEnd>& ends, double seconds) const;

 private:
  ProgressForm form_;
  bool says_end_;
  bool is_terminal_;
};

/// The end of an experiment; known at rank 0.
struct RunEnd {
  std::string file;  ///< file of the experiment
  std::string results;
  std::string how;         ///< duration, "2 min 5 s", or "complete already"
  std::string precision;   ///< precision that [repeat_until] has reached; empty without it
  int exit_code = 0;       ///< exit code: 0, or 1 for skipped or invalid cells
  std::size_t cells = 0;   ///< number of cells
  std::size_t failed = 0;  ///< number of skipped or invalid cells
  std::string why;         ///< reason of the first of these
  bool may_rerun = false;  ///< true: --rerun-failed would run some of these again
  double elapsed_s = 0;
};

}  // namespace harness
