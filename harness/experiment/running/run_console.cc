#include "harness/experiment/running/run_console.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "harness/core/exit_codes.h"
#include "harness/core/wording.h"
#include "harness/experiment/running/short_text.h"

namespace harness {
namespace {

constexpr std::size_t kCountWidth = 6;  // columns of a number of cells

bool on_terminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (term == nullptr || std::string(term) != "dumb");
}

}  // namespace

RunConsole::RunConsole(ProgressForm form, bool says_end)
    : form_(form), says_end_(says_end), is_terminal_(form == ProgressForm::kText && on_terminal()) {}

void RunConsole::print(const std::string& text) const {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

void RunConsole::note(const std::string& text) const {
  if (form_ == ProgressForm::kJson) {
    JsonObject object;
    object.add("text", text);
    event("note", object);
  } else if (form_ == ProgressForm::kText || text.starts_with("warning")) {
    std::fprintf(stderr, "harness: %s\n", text.c_str());
  }
}

void RunConsole::line(const std::string& text) const {
  if (form_ == ProgressForm::kText) std::fprintf(stderr, "%s\n", text.c_str());
}

void RunConsole::remark(const std::string& text) const {
  if (form_ == ProgressForm::kJson)
    note(text);
  else
    line(text);
}

void RunConsole::event(const std::string& event, const JsonObject& more) const {
  const std::string members = more.json().text.substr(1);
  const std::string line = "{\"event\": " + json_of(event) + (members == "}" ? "" : ", ") + members + "\n";
  std::fputs(line.c_str(), stderr);
}

void RunConsole::show(const std::string& line) const {
  if (is_terminal_)
    std::fprintf(stderr, "\r\033[K%.*s", 200, line.c_str());
  else
    std::fprintf(stderr, "%s\n", line.c_str());
}

void RunConsole::clear() const {
  if (is_terminal_) std::fputs("\r\033[K", stderr);
}

void RunConsole::begin(const std::string& file, const RunStatus& status) const {
  if (form_ == ProgressForm::kJson) {
    JsonObject start;
    start.add("experiment", status.experiment);
    start.add("file", file);
    start.add("results", status.results);
    start.add("ranks", status.ranks);
    start.add("total", status.total);
    start.add("done", status.done);
    event("start", start);
  } else if (status.done > 0) {
    line(std::to_string(status.done) + " of " + counted(status.total, "cell") + " are finished already");
  }
}

void RunConsole::end(const RunEnd& end) const {
  const std::string counts = counted(end.cells, "cell");
  if (says_end_) {
    print(end.results + ": " + counts + ", " + end.how + "\n" +
          (end.precision.empty() ? "" : end.precision + "\n"));
  }
  if (form_ == ProgressForm::kJson) {
    JsonObject object;
    object.add("results", end.results);
    object.add("total", end.cells);
    object.add("failed", end.failed);
    object.add("why", end.why);
    object.add("exit_code", end.exit_code);
    object.add("elapsed_s", end.elapsed_s);
    event("end", object);
  } else if (end.failed > 0) {
    std::fprintf(stderr, "%zu of %s skipped or invalid%s; the first: %s\n", end.failed, counts.c_str(),
                 end.may_rerun ? " (--rerun-failed runs them once more)" : "", end.why.c_str());
  }
}

void RunConsole::end_suite(const std::string& name, const std::vector<RunEnd>& ends, double seconds) const {
  std::size_t cells = 0;
  std::size_t width = 0;
  for (const RunEnd& end : ends) {
    cells += end.cells;
    width = std::max(width, end.file.size());
  }
  std::string text = "suite " + name + ": " + counted(ends.size(), "experiment") + ", " +
                     counted(cells, "cell") + ", " + short_time(seconds) + "\n";
  for (const RunEnd& end : ends) {
    const std::string count = std::to_string(end.cells);
    text += "  " + end.file + std::string(width - end.file.size(), ' ') + "  ";
    text += std::string(kCountWidth - std::min(kCountWidth, count.size()), ' ') + count;
    text += end.cells == 1 ? " cell   " : " cells  ";
    text += end.how + (end.exit_code == kAllWell ? "" : "; cells skipped or invalid") + "\n";
  }
  print(text);
}

}  // namespace harness
