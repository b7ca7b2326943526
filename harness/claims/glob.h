// Names chosen by a pattern on the command line.
#pragma once

#include <string_view>

namespace harness {

/// Whether `text` is what `pattern` says; '*' stands for any characters, none too. Takes time in proportion
/// to the lengths of both.
bool fits_glob(std::string_view pattern, std::string_view text);

}  // namespace harness
