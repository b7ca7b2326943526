// The lines of a log as rows of columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/files/text_lines.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/trace_files/column_names.h"

namespace harness {

/// How the lines of a log are cut into columns, and what the columns' names say. The text outlives this.
///
/// Lines of words after a date and time, or around one in brackets, as programs and web servers log them, are
/// two columns: it and the words.
class LogTable {
 public:
  LogTable(const TextLines& lines, const TraceSpec& spec);

  /// No row of values.
  bool is_empty() const { return first_.empty(); }
  bool has_header() const { return has_header_; }
  bool is_text() const { return is_text_; }
  std::size_t width() const { return width_; }
  const ColumnMeaning& meaning(std::size_t column) const { return meanings_[column]; }
  /// Whether the column's first value is a date, or a number that counts from 1970.
  bool has_stamps(std::size_t column) const;
  /// Of the first row of values.
  const std::string& first(std::size_t column) const { return first_[column]; }
  /// "column 'time'", "column 2", "the column" where there is one without a name, or "brackets".
  std::string called(std::size_t column) const;
  /// The name, or "column 2".
  std::string key_of(std::size_t column) const {
    return has_header_ ? names_[column] : "column " + std::to_string(column + 1);
  }
  /// Columns of that meaning.
  std::vector<std::size_t> all(ColumnMeaning::Kind kind) const;
  std::string names_of(const std::vector<std::size_t>& columns) const;
  /// Returns the texts that choose each of these columns and no other (see named), for messages.
  std::string choices_of(const std::vector<std::size_t>& columns) const;
  /// Those of the header, or what stands for many.
  std::string all_names() const { return width_ > 16 ? "a name in the header" : join_names(names_); }

  /// X of a comment "# bin_s = X" before the data, and the unit of "# time_unit = s"; 0: there is none.
  double stated_bin_s() const { return stated_bin_s_; }
  double stated_unit_s() const { return stated_unit_s_; }
  /// Whether a remark "# decimal = ." says that dots are decimal points.
  bool states_points() const { return states_points_; }
  /// Whether a row so far has a number with a decimal comma.
  bool has_decimal_commas() const { return has_decimal_commas_; }

  /// The columns that the user names, separated by commas: each a name or a position from 1 on, none twice.
  /// Throws InputError for a text that fits no column or several.
  std::vector<std::size_t> named(const char* key, const std::string& words) const;

  /// Back to before the first row of values.
  void rewind() { at_ = has_header_ ? head_ : begin_; }
  /// Takes the next row; false at the end. Throws InputError when it has more or fewer fields than the first.
  bool next();
  const std::vector<std::string_view>& fields() const { return fields_; }
  /// Whether an empty line stands between this row and the one before.
  bool is_after_empty_line() const { return is_after_empty_line_; }
  /// Where the row stands, and the first line, for messages.
  const TextLines& at() const { return at_; }
  const TextLines& head() const { return head_; }

 private:
  static constexpr std::size_t kNoColumn = ~std::size_t{0};

  void read_remarks();
  void take_remark(const TextLines& at, std::string_view key, std::string_view value);

  void choose_separator();
  /// Finds the fields that are one: a date and the time of day, a time and its fraction behind a comma.
  /// Whether this is so in the first line, too.
  bool find_joined(const TraceSpec& spec);
  /// Whether three digits behind the comma after the times in `column` are their fractions, by all rows of a
  /// file without names. Throws InputError where nothing tells.
  bool has_fractions_behind(std::size_t column, const TraceSpec& spec);
  /// Throws InputError for times of a 12-hour clock.
  void refuse_half_days() const;
  /// Whether the first line names columns; `second`: the fields of the next one.
  bool names_columns(const std::vector<std::string_view>& second, const TraceSpec& spec) const;
  /// Fields of the line, those that are one joined.
  void split(std::string_view line);
  bool is_named(const std::string& words) const;
  /// Returns the columns that have this name or position.
  std::vector<std::size_t> fitting(std::string_view text) const;
  /// Returns its name, or else its position, whichever fits no other column; empty where both do.
  std::string choice_of(std::size_t column) const;
  InputError fits_several(const char* key, std::string_view text,
                          const std::vector<std::size_t>& found) const;

  TextLines begin_;
  TextLines head_ = begin_;
  TextLines at_;
  char separator_ = ',';
  bool has_header_ = false;
  bool is_after_empty_line_ = false;
  bool is_text_ = false;            ///< lines of words with a date and time
  std::size_t joined_ = kNoColumn;  ///< a column that the next field belongs to
  std::size_t width_ = 0;
  double stated_bin_s_ = 0;
  double stated_unit_s_ = 0;
  bool states_points_ = false;
  bool has_decimal_commas_ = false;
  std::vector<std::string> names_;
  std::vector<ColumnMeaning> meanings_;
  std::vector<std::string> first_;
  std::vector<std::string_view> fields_;
};

}  // namespace harness
