// Writing a whole text to standard output.
#pragma once

#include <cstdio>
#include <string>

#include "harness/core/error.h"

namespace harness {

/// Throws EnvironmentError when not all of it could be written (a full disk, a closed pipe).
inline void print_text(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) throw EnvironmentError("standard output: cannot be written");
}

}  // namespace harness
