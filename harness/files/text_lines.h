// Lines, fields and numbers of text input, with the place for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/input_error.h"

namespace harness {

/// True if the bytes begin like a results file (HDF5, with or without a seal).
bool is_results_file(std::string_view bytes);

/// Returns the text of an input file, without the byte-order mark of UTF-8 that some editors write. Throws
/// InputError for UTF-16, UTF-32 and bytes that are no text. All readers of text begin with it.
std::string_view plain_text(const std::string& file, std::string_view bytes);

/// Walks the lines of a text. A line ends at LF or CR LF; the last one may lack it.
class TextLines {
 public:
  /// Throws InputError as plain_text does.
  TextLines(std::string file, std::string_view text)
      : file_(std::move(file)), rest_(plain_text(file_, text)) {}

  /// Takes the next line, without its end. Returns false at the end. Throws InputError for a line longer than
  /// 1 MiB.
  bool next();
  /// Does the same, passing over empty lines and lines that begin with '#'.
  bool next_filled();
  std::string_view line() const { return line_; }
  int number() const { return number_; }
  const std::string& file() const { return file_; }
  /// Returns an InputError at this line.
  InputError error(const std::string& key, std::string_view found, std::string_view allowed) const;

 private:
  std::string file_;
  std::string_view rest_;
  std::string_view line_;
  int number_ = 0;
};

/// Returns 'text', for messages.
std::string quoted(std::string_view text);
/// Returns the text without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);
/// Splits a line into the fields between separators, trimmed and without quotes around a field, which may
/// hold separators. A blank as the separator stands for one or more blanks.
void split_fields(std::string_view line, std::vector<std::string_view>& fields, char separator = ',');
/// Reads a whole field as a finite number. Returns false if it is anything else (also for NaN and infinity).
bool read_number(std::string_view field, double& value);
/// Returns the field as a number within [low, high]. Throws InputError at this line if it is not.
double number_field(const TextLines& lines, const std::string& key, std::string_view field, double low,
                    double high);

}  // namespace harness
