// Text as it may be printed: on one line, without characters that a terminal would obey, and not too long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace harness {

/// Returns `text` as it may be printed, on one line. Bytes are shown escaped ("\\x0a") if they are a control
/// character, change the direction of what follows or are not UTF-8. If the text has more than `longest`
/// bytes, the beginning and the end are kept, with "..." between them.
std::string printable(std::string_view text, std::size_t longest = std::string_view::npos);
/// Does the same to each line of the text.
std::string printable_lines(std::string_view text);
/// Returns the number of bytes at the beginning of `text` that are one character which may be printed; 0 if
/// there is no such character.
std::size_t printable_bytes(std::string_view text);
/// Returns the beginning, two thirds, and the end of a text of more than `longest` bytes, with "..." between
/// them; no character is cut in two. Returns a shorter text as it is.
std::string shortened(std::string_view text, std::size_t longest);

}  // namespace harness
