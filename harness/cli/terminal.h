// The properties of standard output and standard error: terminal or not, width, colours.
#pragma once

#include <cstddef>
#include <string>

namespace harness {

/// True if colours are to be written to the stream: never with NO_COLOR, always with CLICOLOR_FORCE, else on
/// a terminal that is not dumb.
bool has_colours(int stream);

/// Returns the number of characters in a line of standard output; 0: it is no terminal, or the terminal does
/// not tell. COLUMNS overrides the terminal's answer.
std::size_t terminal_width();

/// Prints as print_text() does, with coloured verdicts if standard output has colours: good ones green, bad
/// ones red, those between yellow. A verdict is a word of the harness at the beginning of a line or of a
/// column.
void print_verdicts(const std::string& text);

}  // namespace harness
