#include "workloads/trace_files/log_table.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/params.h"

namespace harness {
namespace {

/// A value, or what was meant as one.
bool is_value(std::string_view field) {
  double number = 0;
  return read_number(field, number) || read_timestamp(field) || field == "nan" || field == "NaN" ||
         field == "inf";
}

}  // namespace

LogTable::LogTable(const TextLines& lines, const TraceSpec& spec) : begin_(lines), at_(lines) {
  read_remarks();
  if (!at_.next_filled()) return;
  choose_separator();
  const TextLines head = at_;
  const bool has_second = at_.next_filled();
  split_fields(has_second ? at_.line() : head.line(), fields_, separator_);
  for (std::size_t i = 0; i + 1 < fields_.size() && date_ == kNoColumn; ++i) {
    if (fields_[i].size() == kDateSize && read_timestamp(fields_[i]) && is_time_of_day(fields_[i + 1]))
      date_ = i;
  }
  std::vector<std::string_view> second;
  if (has_second) {
    split(at_.line());
    second = fields_;
  }
  at_ = head_ = head;
  split(head.line());
  width_ = fields_.size();
  has_header_ = names_columns(second, spec);
  for (const std::string_view field : fields_) {
    names_.emplace_back(has_header_ ? field : std::string_view());
    meanings_.push_back(has_header_ ? meaning_of(field) : ColumnMeaning());
  }
  if (date_ < width_) std::replace(names_[date_].begin(), names_[date_].end(), separator_, ' ');
  rewind();
  if (next()) first_.assign(fields_.begin(), fields_.end());
  rewind();
}

bool LogTable::names_columns(const std::vector<std::string_view>& second, const TraceSpec& spec) const {
  if (is_named(spec.column) || is_named(spec.time_column)) return true;
  const bool is_one_value = width_ == 1 && fields_[0].find_first_of("0123456789+-.") == 0;  // 1s, 0x10
  if (!is_one_value && std::none_of(fields_.begin(), fields_.end(), is_value)) return true;
  // A text above a date or a number is a name, whatever stands beside it.
  for (std::size_t i = 0; i < fields_.size() && i < second.size() && !is_one_value; ++i) {
    if (!fields_[i].empty() && !is_value(fields_[i]) && is_value(second[i])) return true;
  }
  return false;
}

void LogTable::split(std::string_view line) {
  split_fields(line, fields_, separator_);
  if (date_ == kNoColumn || date_ + 1 >= fields_.size()) return;
  const std::string_view behind = fields_[date_ + 1];
  fields_[date_] = {fields_[date_].data(),
                    static_cast<std::size_t>(behind.data() + behind.size() - fields_[date_].data())};
  fields_.erase(fields_.begin() + static_cast<std::ptrdiff_t>(date_) + 1);
}

bool LogTable::has_stamps(std::size_t column) const {
  double number = 0;
  return read_timestamp(first_[column]) || (read_number(first_[column], number) && epoch_unit_s(number));
}

std::string LogTable::called(std::size_t column) const {
  if (has_header_) return "column " + quoted(names_[column]);
  return width_ == 1 ? "the column" : "column " + std::to_string(column + 1);
}

std::vector<std::size_t> LogTable::all(ColumnMeaning::Kind kind) const {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < width_; ++i) {
    if (meanings_[i].kind == kind) columns.push_back(i);
  }
  return columns;
}

std::string LogTable::names_of(const std::vector<std::size_t>& columns) const {
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(key_of(column));
  return join_names(names);
}

std::vector<std::size_t> LogTable::named(const char* key, const std::string& words) const {
  std::vector<std::size_t> selected;
  std::vector<std::string_view> wanted;
  if (!words.empty()) split_fields(words, wanted);
  for (const std::string_view name : wanted) {
    double number = 0;
    const bool is_number = read_number(name, number);
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (!is_number && has_header_ && found != names_.end()) {
      selected.push_back(static_cast<std::size_t>(found - names_.begin()));
    } else if (is_number && number >= 1 && number <= static_cast<double>(width_) &&
               std::floor(number) == number) {
      selected.push_back(static_cast<std::size_t>(number) - 1);
    } else {
      throw head_.error(key, quoted(name),
                        (has_header_ ? all_names() + ", or a" : std::string("a")) + " number from 1 to " +
                            std::to_string(width_));
    }
    if (std::count(selected.begin(), selected.end(), selected.back()) > 1)
      throw head_.error(key, quoted(name) + " twice", "each column once");
  }
  return selected;
}

bool LogTable::next() {
  is_after_empty_line_ = false;
  for (;;) {
    if (!at_.next()) return false;
    const std::string_view content = trimmed(at_.line());
    if (!content.empty() && content.front() != '#') break;
    is_after_empty_line_ |= content.empty();
  }
  split(at_.line());
  if (fields_.size() != width_)
    throw at_.error("", std::to_string(fields_.size()) + " fields",
                    std::to_string(width_) + ", as in the first row");
  return true;
}

void LogTable::read_remarks() {
  TextLines lines = begin_;
  while (lines.next()) {
    std::string_view line = trimmed(lines.line());
    if (line.empty()) continue;
    if (line.front() != '#') return;
    line = trimmed(line.substr(1));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, equals));
    const std::string_view value = trimmed(line.substr(equals + 1));
    if (key == "bin_s" && stated_bin_s_ == 0) stated_bin_s_ = number_field(lines, "bin_s", value, 1e-6, 1e7);
    if (key != "time_unit" || stated_unit_s_ > 0) continue;
    const std::optional<double> unit_s = unit_s_of(value);
    if (!unit_s) throw lines.error("time_unit", quoted(value), "s, ms, us or ns");
    stated_unit_s_ = *unit_s;
  }
}

void LogTable::choose_separator() {
  const std::string_view line = at_.line();
  std::string found;
  for (const char one : {',', '\t', ';'}) {
    if (line.find(one) != std::string_view::npos) found += one;
  }
  if (found.size() > 1)
    throw at_.error("", "commas, semicolons or tabs together", "one of them between all columns");
  const std::string_view content = trimmed(line);
  bool has_words = content.find(' ') != std::string_view::npos && !read_timestamp(content);
  // "arrival time (s)" above numbers is one name.
  TextLines lines = at_;
  if (found.empty() && has_words && lines.next_filled()) {
    std::vector<std::string_view> second;
    split_fields(line, fields_, ' ');
    split_fields(lines.line(), second, ' ');
    has_words = second.size() == fields_.size();
  }
  separator_ = !found.empty() ? found[0] : has_words && content.front() != '"' ? ' ' : ',';
}

bool LogTable::is_named(const std::string& words) const {
  std::vector<std::string_view> wanted;
  if (!words.empty()) split_fields(words, wanted);
  double number = 0;
  return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view name) {
    return !read_number(name, number) && std::find(fields_.begin(), fields_.end(), name) != fields_.end();
  });
}

}  // namespace harness
