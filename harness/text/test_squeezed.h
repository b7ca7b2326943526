// For tests of tables whose widths do not matter.
#pragma once

#include <string>

namespace harness {

/// Returns the text with one space in the place of several.
inline std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || !result.ends_with(' ')) result += c;
  }
  return result;
}

}  // namespace harness
