#include "harness/files/text_lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "harness/core/param_list.h"

namespace harness {

bool is_results_file(std::string_view bytes) {
  return bytes.starts_with("\x89HDF") || bytes.starts_with("harness file,");
}

std::string_view plain_text(const std::string& file, std::string_view bytes) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  constexpr std::size_t kLooked = 4096;  // where a NUL says that it is no text
  const char* const allowed = "text in UTF-8, plain or gzipped";
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
    throw input_error({file, 0, ""}, "UTF-16 or UTF-32 (a byte-order mark)", allowed);
  if (is_results_file(bytes))
    throw input_error({file, 0, ""}, "a results file (HDF5)",
                      "text in UTF-8, plain or gzipped; `harness show` prints results");
  if (const std::size_t zero = bytes.substr(0, kLooked).find('\0'); zero != std::string_view::npos) {
    const auto lines = std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
    throw input_error({file, static_cast<int>(lines) + 1, ""}, "binary data, a zero byte", allowed);
  }
  if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
  return bytes;
}

bool TextLines::next() {
  constexpr std::size_t kLongestLine = std::size_t{1} << 20;
  if (rest_.empty()) return false;
  ++number_;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  if (line_.size() > kLongestLine)
    throw error("", "a line longer than 1 MiB", "shorter lines (of a trace: one bin or request in each)");
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  return true;
}

bool TextLines::next_filled() {
  while (next()) {
    const std::string_view content = trimmed(line_);
    if (!content.empty() && content.front() != '#') return true;
  }
  return false;
}

InputError TextLines::error(const std::string& key, std::string_view found, std::string_view allowed) const {
  return input_error({file_, number_, key}, found, allowed);
}

std::string quoted(std::string_view text) {
  std::string result(1, '\'');
  result.append(text);
  result += '\'';
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

namespace {

/// Returns the end of the first field of `line`. Quotes that do not end before a separator are text.
std::size_t field_end(std::string_view line, char separator) {
  const std::size_t quote = line.find_first_not_of(" \t");
  if (quote != std::string_view::npos && line[quote] == '"') {
    for (std::size_t end = line.find('"', quote + 1); end != std::string_view::npos;
         end = line.find('"', end + 1)) {
      if (end + 1 < line.size() && line[end + 1] == '"') {  // a quote within the field
        ++end;
        continue;
      }
      const std::size_t next = line.find_first_not_of(separator == ' ' ? "\t" : " \t", end + 1);
      if (next == std::string_view::npos || line[next] == separator) return next;
    }
  }
  return line.find(separator);
}

}  // namespace

void split_fields(std::string_view line, std::vector<std::string_view>& fields, char separator) {
  fields.clear();
  if (separator == ' ') line = trimmed(line);
  for (;;) {
    const std::size_t end = field_end(line, separator);
    std::string_view field = trimmed(line.substr(0, end));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
    fields.push_back(field);
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
    if (separator == ' ') line = trimmed(line);
  }
}

bool read_number(std::string_view field, double& value) {
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto [end, failure] = std::from_chars(field.data(), field.data() + field.size(), value);
  return failure == std::errc() && end == field.data() + field.size() && std::isfinite(value);
}

double number_field(const TextLines& lines, const std::string& key, std::string_view field, double low,
                    double high) {
  double value = 0;
  if (!read_number(field, value) || value < low || value > high) {
    const std::string found = field.empty() ? "an empty field" : quoted(field);
    throw lines.error(key, found, "a number from " + text_of(low) + " to " + text_of(high));
  }
  return value;
}

}  // namespace harness
