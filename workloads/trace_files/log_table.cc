#include "workloads/trace_files/log_table.h"

#include <algorithm>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "workloads/trace_files/time_text.h"

namespace harness {
namespace {

/// A value, or what was meant as one.
bool is_value(std::string_view field) {
  double number = 0;
  return read_number(field, number) || read_timestamp(field) || field == "nan" || field == "NaN" ||
         field == "inf";
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "072": milliseconds as they stand behind a comma.
bool is_thousandths(std::string_view field) {
  return field.size() == 3 && std::all_of(field.begin(), field.end(), is_digit);
}

/// Whether a time of day to the second, "18:15:46", ends the text.
bool ends_in_second(std::string_view text) {
  constexpr std::size_t kSize = 8;
  return text.size() >= kSize && is_time_of_day(text.substr(text.size() - kSize));
}

/// The first column of times to the second with three digits in the next one; the largest number: none.
std::size_t fraction_behind(const std::vector<std::string_view>& fields) {
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
    if (ends_in_second(fields[i]) && read_timestamp(fields[i]) && is_thousandths(fields[i + 1])) return i;
  }
  return ~std::size_t{0};
}

/// Whether the comma at this place stands between a time of day and its milliseconds.
bool is_fraction_comma(std::string_view line, std::size_t at) {
  constexpr std::size_t kDigits = 3;
  const std::string_view behind = line.substr(at + 1);
  return line[at] == ',' && ends_in_second(line.substr(0, at)) && is_thousandths(behind.substr(0, kDigits)) &&
         (behind.size() == kDigits || !is_digit(behind[kDigits]));
}

bool is_decimal_comma_number(std::string_view field) {
  const std::size_t comma = field.find(',');
  const auto digits = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
  };
  return comma != std::string_view::npos && digits(field.substr(0, comma)) && digits(field.substr(comma + 1));
}

/// Whether a word that stands by itself behind a time may be its zone: "Z", "+0200", but not a number "-12".
bool may_be_zone(std::string_view word) {
  constexpr std::size_t kShortest = 5;
  return word.empty() || (word[0] != '+' && word[0] != '-') || word.size() >= kShortest;
}

/// The date and time that a line begins with, before a blank: the longest of up to three words.
std::string_view leading_stamp(std::string_view line) {
  std::string_view found;
  std::size_t end = 0;
  for (int words = 0; words < 3 && end != std::string_view::npos; ++words) {
    end = line.find(' ', end == 0 ? 0 : end + 1);
    const std::string_view text = line.substr(0, end);
    if (words > 0 && !may_be_zone(text.substr(text.rfind(' ') + 1))) break;
    if (text.size() > kDateSize && read_timestamp(text)) found = text;
  }
  return found;
}

/// The date and time in the first brackets that hold one.
std::string_view bracketed_stamp(std::string_view line) {
  constexpr std::size_t kLongest = 64;
  for (std::size_t open = line.find('['); open != std::string_view::npos; open = line.find('[', open + 1)) {
    const std::string_view behind = line.substr(open + 1, kLongest);
    const std::size_t close = behind.find(']');
    if (close == std::string_view::npos || close <= kDateSize) continue;
    if (read_timestamp(behind.substr(0, close))) return behind.substr(0, close);
  }
  return {};
}

std::string_view stamp_in_text(std::string_view line) {
  const std::string_view leading = leading_stamp(line);
  return leading.empty() ? bracketed_stamp(line) : leading;
}

bool begins_with_word(std::string_view text) {
  text = trimmed(text);
  return !text.empty() && !is_value(text.substr(0, text.find(' ')));
}

bool has_words_beside_brackets(std::string_view line) {
  const std::string_view stamp = bracketed_stamp(line);
  if (stamp.empty()) return false;
  const auto begin = static_cast<std::size_t>(stamp.data() - line.data());
  const std::string_view behind = line.substr(begin + stamp.size() + 1);
  return begins_with_word(behind) && (behind.front() == ' ' || behind.front() == '[');
}

/// Whether the line is words with a date and time, and no row of a table.
bool is_text_line(std::string_view line) {
  const std::string_view stamp = leading_stamp(line);
  if (stamp.empty()) return has_words_beside_brackets(line);
  const std::string_view behind = trimmed(line.substr(stamp.size()));
  constexpr std::string_view kSeparators = ",\t;";
  constexpr std::size_t kFraction = 4;
  if (behind.empty() || kSeparators.find(behind.front()) != std::string_view::npos) return false;
  if (is_fraction_comma(stamp, stamp.size() - kFraction)) return true;
  for (const char separator : kSeparators) {
    const std::size_t end = line.find(separator);
    if (end != std::string_view::npos && read_timestamp(trimmed(line.substr(0, end)))) return false;
  }
  return begins_with_word(behind.substr(behind.front() == '|' ? 1 : 0));
}

}  // namespace

LogTable::LogTable(const TextLines& lines, const TraceSpec& spec) : begin_(lines), at_(lines) {
  read_remarks();
  if (!at_.next_filled()) return;
  is_text_ = spec.column.empty() && spec.time_column.empty() && is_text_line(at_.line());
  if (!is_text_) choose_separator();
  head_ = at_;
  const bool joins_head = is_text_ || find_joined(spec);
  std::vector<std::string_view> second;
  if (at_.next_filled()) {
    split(at_.line());
    second = fields_;
  }
  at_ = head_;
  if (joins_head)
    split(head_.line());
  else
    split_fields(head_.line(), fields_, separator_);
  width_ = fields_.size();
  has_header_ = !is_text_ && names_columns(second, spec);
  for (const std::string_view field : fields_) {
    names_.emplace_back(has_header_ ? field : std::string_view());
    meanings_.push_back(has_header_ ? meaning_of(field) : ColumnMeaning());
  }
  if (joined_ < width_) std::replace(names_[joined_].begin(), names_[joined_].end(), separator_, ' ');
  rewind();
  if (next()) first_.assign(fields_.begin(), fields_.end());
  refuse_half_days();
  rewind();
}

void LogTable::refuse_half_days() const {
  for (std::size_t i = 0; i + 1 < first_.size(); ++i) {
    const std::string word = first_[i + 1].substr(0, first_[i + 1].find(' '));
    const bool is_half = word == "AM" || word == "PM" || word == "am" || word == "pm";
    if (is_half && read_timestamp(first_[i]))
      throw at_.error("", quoted(first_[i] + " " + word), "hours from 00 to 23");
  }
}

bool LogTable::find_joined(const TraceSpec& spec) {
  TextLines lines = head_;
  split_fields(head_.line(), fields_, separator_);
  const std::vector<std::string_view> head = fields_;
  const bool has_second = lines.next_filled();
  if (has_second) split_fields(lines.line(), fields_, separator_);
  for (std::size_t i = 0; i + 1 < fields_.size() && joined_ == kNoColumn; ++i) {
    if (fields_[i].size() == kDateSize && read_timestamp(fields_[i]) && is_time_of_day(fields_[i + 1]))
      joined_ = i;
  }
  if (joined_ != kNoColumn || separator_ != ',') return true;
  const std::size_t column = fraction_behind(fields_);
  if (column == kNoColumn) return true;
  const bool has_names = has_second && fraction_behind(head) == kNoColumn;
  if (has_names ? head.size() + 1 == fields_.size() : has_fractions_behind(column, spec)) joined_ = column;
  return !has_names;
}

bool LogTable::has_fractions_behind(std::size_t column, const TraceSpec& spec) {
  bool has_zeros = false;
  for (TextLines lines = begin_; lines.next_filled();) {
    split_fields(lines.line(), fields_, separator_);
    if (column + 1 >= fields_.size() || !is_thousandths(fields_[column + 1])) return false;
    has_zeros |= fields_[column + 1].front() == '0';
  }
  if (has_zeros || !spec.column.empty()) return has_zeros;
  split_fields(at_.line(), fields_, separator_);
  const std::string behind(fields_[column + 1]);
  throw at_.error("",
                  "'" + std::string(fields_[column]) + "," + behind + "', where " + behind +
                      " may be milliseconds or a column",
                  "a first line that names the columns, or a point before the milliseconds");
}

bool LogTable::names_columns(const std::vector<std::string_view>& second, const TraceSpec& spec) const {
  if (is_named(spec.column) || is_named(spec.time_column)) return true;
  const bool is_one_value = width_ == 1 && fields_[0].find_first_of("0123456789+-.") == 0;  // 1s, 0x10
  if (!is_one_value && std::none_of(fields_.begin(), fields_.end(), is_value)) return true;
  // A text above a date or a number is a name, whatever stands beside it.
  for (std::size_t i = 0; i < fields_.size() && i < second.size() && !is_one_value; ++i) {
    if (!fields_[i].empty() && !is_value(fields_[i]) && is_value(second[i])) return true;
    if (fields_[i].empty() && read_timestamp(second[i])) return true;  // an index without a name
  }
  return false;
}

void LogTable::split(std::string_view line) {
  if (is_text_) {
    const std::string_view stamp = stamp_in_text(line);
    const char* end = stamp.data() + stamp.size();
    fields_ = {stamp.empty() ? line : stamp,
               stamp.empty() ? std::string_view()
                             : trimmed(line.substr(static_cast<std::size_t>(end - line.data())))};
    return;
  }
  split_fields(line, fields_, separator_);
  if (joined_ == kNoColumn || joined_ + 1 >= fields_.size()) return;
  const std::string_view behind = fields_[joined_ + 1];
  fields_[joined_] = {fields_[joined_].data(),
                      static_cast<std::size_t>(behind.data() + behind.size() - fields_[joined_].data())};
  fields_.erase(fields_.begin() + static_cast<std::ptrdiff_t>(joined_) + 1);
}

bool LogTable::has_stamps(std::size_t column) const {
  double number = 0;
  return read_timestamp(first_[column]) || (read_number(first_[column], number) && epoch_unit_s(number));
}

std::string LogTable::called(std::size_t column) const {
  if (has_header_) return "column " + quoted(names_[column]);
  if (is_text_ && leading_stamp(head_.line()).empty()) return "brackets";
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

std::vector<std::size_t> LogTable::fitting(std::string_view text) const {
  std::vector<std::size_t> columns;
  double number = 0;
  const double position = read_number(text, number) ? number - 1 : -1;
  for (std::size_t i = 0; i < width_; ++i) {
    if ((has_header_ && names_[i] == text) || position == static_cast<double>(i)) columns.push_back(i);
  }
  return columns;
}

std::string LogTable::choice_of(std::size_t column) const {
  double number = 0;
  const std::string& name = names_[column];
  const bool is_word = !name.empty() && !read_number(name, number) && name.find(',') == std::string::npos;
  if (is_word && fitting(name).size() == 1) return name;
  const std::string position = std::to_string(column + 1);
  return fitting(position).size() == 1 ? position : "";
}

std::string LogTable::choices_of(const std::vector<std::size_t>& columns) const {
  std::vector<std::string> choices;
  for (const std::size_t column : columns) choices.push_back(choice_of(column));
  const bool has_all = std::find(choices.begin(), choices.end(), "") == choices.end();
  if (!has_all) return "a name in the header that no other column has and that is no number";
  return choices.size() == 1 ? "\"" + choices[0] + "\"" : "one of " + join_names(choices);
}

InputError LogTable::fits_several(const char* key, std::string_view text,
                                  const std::vector<std::size_t>& found) const {
  std::vector<std::string> places;
  for (const std::size_t column : found)
    places.push_back(std::to_string(column + 1) + " (" + names_[column] + ")");
  std::vector<std::size_t> others = found;  // that may be meant: no counts are in a column of times
  if (key == std::string("column"))
    std::erase_if(others, [this](std::size_t i) { return meanings_[i].kind == ColumnMeaning::Kind::kTime; });
  return head_.error(key, quoted(text) + ", which fits columns " + join_names(places),
                     choices_of(others.empty() ? found : others));
}

std::vector<std::size_t> LogTable::named(const char* key, const std::string& words) const {
  std::vector<std::size_t> selected;
  std::vector<std::string_view> wanted;
  if (!words.empty()) split_fields(words, wanted);
  for (const std::string_view name : wanted) {
    const std::vector<std::size_t> found = fitting(name);
    if (found.empty())
      throw head_.error(key, quoted(name),
                        (has_header_ ? all_names() + ", or a" : std::string("a")) + " number from 1 to " +
                            std::to_string(width_));
    if (found.size() > 1) throw fits_several(key, name, found);
    if (std::count(selected.begin(), selected.end(), found[0]) > 0)
      throw head_.error(key, quoted(name) + " twice", "each column once");
    selected.push_back(found[0]);
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
    throw at_.error(
        "", std::to_string(fields_.size()) + " fields",
        std::to_string(width_) + ", as in the first row" + (width_ == 1 ? "; remarks begin with #" : ""));
  if (separator_ != ',' && !has_decimal_commas_)
    has_decimal_commas_ = std::any_of(fields_.begin(), fields_.end(), is_decimal_comma_number);
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
    take_remark(lines, key, value);
  }
}

void LogTable::take_remark(const TextLines& at, std::string_view key, std::string_view value) {
  if (key == "bin_s" && stated_bin_s_ == 0) stated_bin_s_ = number_field(at, "bin_s", value, 1e-6, 1e7);
  if (key == "decimal") {
    if (value != ".") throw at.error("decimal", quoted(value), "'.', a point before decimals");
    states_points_ = true;
  }
  if (key != "time_unit" || stated_unit_s_ > 0) return;
  const std::optional<double> unit_s = unit_s_of(value);
  if (!unit_s) throw at.error("time_unit", quoted(value), "s, ms, us or ns");
  stated_unit_s_ = *unit_s;
}

void LogTable::choose_separator() {
  const std::string_view line = at_.line();
  std::string found;
  for (const char one : {',', '\t', ';'}) {
    std::size_t at = line.find(one);
    while (one == ',' && at != std::string_view::npos && is_fraction_comma(line, at))
      at = line.find(one, at + 1);
    if (at != std::string_view::npos) found += one;
  }
  if (found.empty() && line.find('|') != std::string_view::npos) found = "|";
  if (found.size() > 1)
    throw at_.error("", "commas, semicolons or tabs together",
                    "one of them between all columns; a point before decimals");
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
