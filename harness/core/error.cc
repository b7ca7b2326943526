#include "harness/core/error.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace harness {
namespace {

thread_local BugContext bug_context;
thread_local bool bugs_fail_cells = false;

// Numbers of bytes of a message's parts that are shown. Lists of allowed values have up to 2,000.
constexpr std::size_t kLongestFile = 400;
constexpr std::size_t kLongestKey = 200;
constexpr std::size_t kLongestFound = 160;
constexpr std::size_t kLongestName = 80;
constexpr std::size_t kLongestSentence = 4000;
constexpr std::size_t kLongestWord = 200;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// True if the code point shows itself: it is no control character, no line or paragraph separator, no
/// byte-order mark, and does not change the direction of text.
bool is_visible(std::uint32_t code) {
  return code >= 0x20 && (code < 0x7f || code > 0x9f) && code != 0x61c && (code < 0x200b || code > 0x200f) &&
         (code < 0x2028 || code > 0x202e) && (code < 0x2060 || code > 0x2069) && code != 0xfeff;
}

/// Returns the beginning, two thirds, and the end of a long text; no character is cut in two.
std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  std::size_t head = longest - longest / 3;
  std::size_t tail = text.size() - longest / 3;
  while (head > 0 && continues(text[head])) --head;
  while (tail < text.size() && continues(text[tail])) ++tail;
  return std::string(text.substr(0, head)) + "..." + std::string(text.substr(tail));
}

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
  return is_memory ? "there is not enough memory" : error.what();
}

std::size_t printable_bytes(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  // By size; smaller codes are written longer than needed.
  constexpr std::uint32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
  constexpr std::uint32_t kMax = 0x10ffff;
  std::uint32_t code = size == 1 ? lead : lead & (0x7fU >> size);
  if ((lead >= 0x80 && lead < 0xc0) || lead >= 0xf8 || size > text.size()) return 0;
  for (const char c : text.substr(1, size - 1)) {
    if (!continues(c)) return 0;
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code >= kMin[size] && code <= kMax && !surrogate && is_visible(code) ? size : 0;
}

std::string printable(std::string_view text, std::size_t longest) {
  const std::string kept = shortened(text, longest);
  std::string shown;
  for (std::string_view rest = kept; !rest.empty();) {
    if (const std::size_t size = printable_bytes(rest); size > 0) {
      shown += rest.substr(0, size);
      rest.remove_prefix(size);
    } else {
      constexpr const char* kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(rest.front());
      shown += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
      rest.remove_prefix(1);
    }
  }
  return shown;
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
  if (!place.file.empty()) line += printable(place.file, kLongestFile) + ":";
  if (place.line > 0) line += std::to_string(place.line) + ":";
  if (!line.empty()) line += " ";
  if (!place.key.empty()) line += printable(place.key, kLongestKey) + ": ";
  return InputError(line + printable(sentence, kLongestSentence));
}

InputError input_error(const InputPlace& place, std::string_view found, std::string_view allowed) {
  if (found == "nothing") return input_refusal(place, "missing; expected " + std::string(allowed));
  const std::string text = "found " + printable(found, kLongestFound);
  return input_refusal(place, allowed.empty() ? text : text + "; allowed: " + std::string(allowed));
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  if (word.size() > kLongestWord) return best;
  const std::string lower = in_lower_case(word);
  std::size_t best_distance = std::max<std::size_t>(word.size() / 2, 1) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(lower, in_lower_case(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
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
  throw input_error(place,
                    "unknown " + what + " '" + shortened(name, kLongestName) + "'" +
                        (near.empty() ? "" : ", did you mean '" + near + "'?"),
                    join_names(known));
}

void set_bug_context(const BugContext& context) { bug_context = context; }

namespace {

[[noreturn]] void report(std::string text) {
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

}  // namespace

void report_bug(const char* file, int line, const char* what) {
  report("bug at " + std::string(file) + ":" + std::to_string(line) + ": " + what);
}

void report_bad_decision(const char* what) {
  report(std::string("the system made a decision that is not allowed: ") + what);
}

BugsFailCells::BugsFailCells() { bugs_fail_cells = true; }

BugsFailCells::~BugsFailCells() {
  bugs_fail_cells = false;
  set_bug_context({});
}

}  // namespace harness
