#include "harness/cli/printing.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/core/environment_error.h"
#include "harness/core/printable.h"

namespace harness {

void write_text(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    throw EnvironmentError(std::string("standard output: cannot be written: ") + std::strerror(errno));
}

void print_text(const std::string& text) { write_text(printable_lines(text)); }

std::string formatted_list(const char* format, va_list arguments) {
  char* text = nullptr;
  const int size = vasprintf(&text, format, arguments);
  if (size < 0) throw EnvironmentError("standard output: no memory for what is printed");
  const std::string whole(text, static_cast<std::size_t>(size));
  std::free(text);
  return whole;
}

std::string formatted(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = formatted_list(format, arguments);
  va_end(arguments);
  return text;
}

void print_formatted(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = formatted_list(format, arguments);
  va_end(arguments);
  print_text(text);
}

}  // namespace harness
