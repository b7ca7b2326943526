// What standard output and standard error are: a terminal, how wide, with colours.
#pragma once

#include <cstddef>
#include <string>

namespace harness {

/// Whether to write colours to the stream: never with NO_COLOR, always with CLICOLOR_FORCE, else on a
/// terminal that is not dumb.
bool has_colours(int stream);

/// Characters of a line of standard output; 0: no terminal, or one that does not say. COLUMNS overrides what
/// a terminal says.
std::size_t terminal_width();

/// As print_text(), with verdicts coloured where standard output has colours: what is well green, worse red,
/// between them yellow. A verdict is a word of the harness at the beginning of a line or of a column.
void print_verdicts(const std::string& text);

}  // namespace harness
