// Numbers of things in messages.
#pragma once

#include <cstddef>
#include <string>

namespace harness {

/// "1 cell", "2 cells".
inline std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace harness
