#include "harness/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "harness/cli/printing.h"
#include "harness/core/printable.h"
#include "harness/ranks/mpi_launch.h"

namespace harness {
namespace {

bool is_set(const char* value) { return value != nullptr && *value != '\0'; }

/// True if the stream is a user's terminal. A launcher of MPI gives its ranks terminals of its own, wherever
/// their output goes.
bool is_terminal(int stream) { return ::isatty(stream) == 1 && !is_launched(); }

constexpr const char* kGreen = "\033[32m";
constexpr const char* kYellow = "\033[33m";
constexpr const char* kRed = "\033[31m";
constexpr const char* kPlain = "\033[0m";

struct ColouredWord {
  std::string_view word;
  const char* colour;
};
/// The verdicts of claims, compare and doctor.
constexpr ColouredWord kVerdicts[] = {
    {"ok", kGreen},    {"reproduced", kGreen}, {"within", kGreen},     {"better", kGreen},
    {"warn", kYellow}, {"partly", kYellow},    {"undecided", kYellow}, {"invalid", kYellow},
    {"fail", kRed},    {"beyond", kRed},       {"regression", kRed},   {"not reproduced", kRed},
};

/// True if a column, or the line, begins at `at`; ends_word() tells if one ends there.
bool begins_column(std::string_view line, std::size_t at) {
  return at == 0 || line.substr(0, at).ends_with("  ");
}
bool ends_word(std::string_view line, std::size_t at) {
  return at == line.size() || line[at] == ',' || line[at] == ':' || line.substr(at).starts_with("  ");
}

const ColouredWord* verdict_at(std::string_view line, std::size_t at) {
  if (!begins_column(line, at)) return nullptr;
  for (const ColouredWord& verdict : kVerdicts) {
    if (line.substr(at).starts_with(verdict.word) && ends_word(line, at + verdict.word.size()))
      return &verdict;
  }
  return nullptr;
}

}  // namespace

bool has_colours(int stream) {
  if (is_set(std::getenv("NO_COLOR"))) return false;
  const char* forced = std::getenv("CLICOLOR_FORCE");
  if (is_set(forced) && std::string_view(forced) != "0") return true;
  const char* term = std::getenv("TERM");
  return is_terminal(stream) && (term == nullptr || std::string_view(term) != "dumb");
}

std::size_t terminal_width() {
  if (!is_terminal(STDOUT_FILENO)) return 0;
  if (const char* columns = std::getenv("COLUMNS")) {
    const std::string_view text(columns);
    std::size_t width = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (failure == std::errc() && end == text.data() + text.size() && width > 0) return width;
  }
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void print_verdicts(const std::string& text) {
  if (!has_colours(STDOUT_FILENO)) return print_text(text);
  const std::string shown = printable_lines(text);
  std::string coloured;
  for (std::size_t from = 0; from < shown.size();) {
    const std::size_t end = std::min(shown.find('\n', from), shown.size());
    const std::string_view line = std::string_view(shown).substr(from, end - from);
    for (std::size_t at = 0; at < line.size();) {
      const ColouredWord* verdict = verdict_at(line, at);
      const std::string_view part = line.substr(at, verdict == nullptr ? 1 : verdict->word.size());
      coloured += verdict == nullptr ? std::string(part) : verdict->colour + std::string(part) + kPlain;
      at += part.size();
    }
    if (end < shown.size()) coloured += '\n';
    from = end + 1;
  }
  write_text(coloured);
}

}  // namespace harness
