// Patterns that choose names on the command line.
#pragma once

#include <string_view>

namespace harness {

/// True if `text` fits `pattern`, in which '*' stands for any number of characters, also 0. Takes time in
/// proportion to the lengths of both.
bool fits_glob(std::string_view pattern, std::string_view text);

}  // namespace harness
