// The promise of every reader to its user, whatever the bytes.
#pragma once

#include <cstdlib>
#include <string_view>

#include "harness/core/input_error.h"

namespace harness {

/// Calls `read`. Bad input must be an InputError of one line that begins with the file's name; any other
/// exception ends the program, which libFuzzer reports. Returns whether the input was accepted.
template <class Read>
bool accepts(std::string_view file_name, Read&& read) {
  try {
    read();
    return true;
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    if (!message.starts_with(file_name) || message.find_first_of("\r\n") != std::string_view::npos)
      std::abort();
    return false;
  }
}

}  // namespace harness
