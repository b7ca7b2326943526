// Printing of whole texts to standard output.
#pragma once

#include <cstdarg>
#include <string>

namespace harness {

/// Writes a text that may be printed as it is. Throws EnvironmentError if not all of it could be written (a
/// full disk, a closed pipe).
void write_text(const std::string& text);
/// Writes the lines of a text without control characters. Names in it may come from any file: nothing but its
/// lines reaches the terminal.
void print_text(const std::string& text);
/// Returns a text formatted as by vprintf.
[[gnu::format(printf, 1, 0)]] std::string formatted_list(const char* format, va_list arguments);
/// Returns a text formatted as by printf.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);
/// Prints formatted() by print_text().
[[gnu::format(printf, 1, 2)]] void print_formatted(const char* format, ...);

}  // namespace harness
