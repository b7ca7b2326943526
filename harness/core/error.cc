#include "harness/core/error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace harness {
namespace {

thread_local BugContext bug_context;
thread_local bool bugs_fail_cells = false;

constexpr std::size_t kLongestFound = 80;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b.size()];
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

std::string reason_of(const std::exception& error) {
  const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
                         dynamic_cast<const std::length_error*>(&error) != nullptr;
  return is_memory ? "not enough memory" : error.what();
}

std::size_t printable_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size =
      first < 0xc2 ? 0 : (first < 0xe0 ? 2 : (first < 0xf0 ? 3 : (first < 0xf5 ? 4 : 0)));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return first == 0xc2 && byte(1) < 0xa0 ? 0 : size;
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string shown;
  const bool is_cut = text.size() > longest;
  for (text = text.substr(0, longest); !text.empty();) {
    const std::size_t bytes = printable_bytes(text);
    if (bytes > 0) {
      shown += text.substr(0, bytes);
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[0]));
      shown += escaped;
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return is_cut ? shown + "..." : shown;
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    shown += printable(text.substr(0, end)) + "\n";
    text.remove_prefix(end + 1);
  }
  return shown + printable(text);
}

InputError input_refusal(const InputPlace& place, std::string_view sentence) {
  std::string line;
  if (!place.file.empty()) line += printable(place.file) + ":";
  if (place.line > 0) line += std::to_string(place.line) + ":";
  if (!line.empty()) line += " ";
  if (!place.key.empty()) line += printable(place.key) + ": ";
  return InputError(line + std::string(sentence));
}

InputError input_error(const InputPlace& place, std::string_view found, std::string_view allowed) {
  if (found == "nothing") return input_refusal(place, "missing; expected " + std::string(allowed));
  const std::string text = "found " + printable(found, kLongestFound);
  return input_refusal(place, allowed.empty() ? text : text + "; allowed: " + std::string(allowed));
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string lower = in_lower_case(word);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 2, 1) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(lower, in_lower_case(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  for (const std::string& candidate : candidates) {
    if (best.empty() && !word.empty() && in_lower_case(candidate).starts_with(lower)) best = candidate;
  }
  return best;
}

std::string join_names(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

void throw_unknown(const InputPlace& place, const std::string& what, const std::string& name,
                   const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  throw input_error(
      place, "unknown " + what + " '" + name + "'" + (near.empty() ? "" : ", did you mean '" + near + "'?"),
      join_names(known));
}

void set_bug_context(const BugContext& context) { bug_context = context; }

void report_bug(const char* file, int line, const char* what) {
  std::string text = "bug at " + std::string(file) + ":" + std::to_string(line) + ": " + what;
  if (bug_context.now_ns != nullptr) {
    char when[80];
    std::snprintf(when, sizeof when, " (seed %llu, virtual time %.9f s)", bug_context.seed,
                  static_cast<double>(*bug_context.now_ns) * 1e-9);
    text += when;
  }
  if (bugs_fail_cells) throw CellFailed(text);
  std::fprintf(stderr, "harness: %s\n", text.c_str());
  std::abort();
}

BugsFailCells::BugsFailCells() { bugs_fail_cells = true; }

BugsFailCells::~BugsFailCells() { bugs_fail_cells = false; }

}  // namespace harness
