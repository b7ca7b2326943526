#include "harness/claims/glob.h"

#include <vector>

namespace harness {
namespace {

/// Returns the first place of `part`, which is not empty, in `text`, or npos; in linear time (Knuth, Morris,
/// Pratt).
std::size_t find_part(std::string_view text, std::string_view part) {
  std::vector<std::size_t> border(part.size(), 0);  // per beginning its longest proper end that begins `part`
  const auto longer = [&](std::size_t length, char next) {
    while (length > 0 && part[length] != next) length = border[length - 1];
    return part[length] == next ? length + 1 : 0;
  };
  for (std::size_t i = 1; i < part.size(); ++i) border[i] = longer(border[i - 1], part[i]);
  std::size_t matched = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    matched = longer(matched, text[i]);
    if (matched == part.size()) return i + 1 - part.size();
  }
  return std::string_view::npos;
}

}  // namespace

bool fits_glob(std::string_view pattern, std::string_view text) {
  const std::size_t first = pattern.find('*');
  if (first == std::string_view::npos) return pattern == text;
  const std::size_t last = pattern.rfind('*');
  const std::string_view begin = pattern.substr(0, first);
  const std::string_view end = pattern.substr(last + 1);
  if (text.size() < begin.size() + end.size() || !text.starts_with(begin) || !text.ends_with(end))
    return false;
  text = text.substr(begin.size(), text.size() - begin.size() - end.size());
  std::string_view middle = pattern.substr(first, last - first);  // parts between stars, each found leftmost
  while (!middle.empty()) {
    middle.remove_prefix(1);
    const std::string_view part = middle.substr(0, middle.find('*'));
    middle.remove_prefix(part.size());
    if (part.empty()) continue;
    const std::size_t at = find_part(text, part);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + part.size());
  }
  return true;
}

}  // namespace harness
