// The wording of messages: numbers with their nouns, lists of names, the nearest name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

/// Returns the number with its noun: "1 cell", "2 cells".
inline std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Returns the candidate nearest to `word` by edit distance, case aside. If no candidate is near (at most
/// half of the word's length away), returns the first that begins with it (slo: slo_ms), or "". Words of more
/// than 200 bytes are near to no other.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// Returns "a, b, c" for messages.
std::string join_names(const std::vector<std::string>& names);

}  // namespace harness
