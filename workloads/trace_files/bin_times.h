// Times that stand beside the counts of a recorded trace: its rows are bins one after the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workloads/files/text_lines.h"
#include "workloads/trace_files/written_numbers.h"

namespace harness {

/// A column of times, numbers or dates, in a file of counts. Rows that are unsorted, repeated or left out
/// would be replayed as bins that follow each other, at other times than recorded.
class BinTimes {
 public:
  /// A column without a name may be anything: see check().
  explicit BinTimes(std::string name) : name_(std::move(name)) {}

  /// Takes the next row's field. Of a named column throws InputError unless its time is as far after the one
  /// before as the second is after the first, and of any column for dates of which some have an offset from
  /// UTC. Where a field is no time, the column is none.
  void add(const TextLines& lines, std::string_view field);
  /// After the last row: throws InputError for a column without a name that is one of times, all but a tenth
  /// of its rows equally far apart, but not all.
  void check() const;

  /// How far rows are apart, in seconds of dates or in the unit of the numbers, to six digits; 0: the column
  /// holds no times, or only one.
  double step() const;
  bool has_dates() const { return has_dates_; }

 private:
  std::string name_;
  bool is_time_ = true;
  bool has_dates_ = false;
  WrittenOffsets offsets_;
  std::size_t rows_ = 0;
  std::size_t wrong_ = 0;
  std::optional<InputError> first_wrong_;
  std::string before_text_;
  double first_ = 0;
  double before_ = 0;
  double step_ = 0;
};

}  // namespace harness
