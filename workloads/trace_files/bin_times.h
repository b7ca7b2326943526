// Times that stand beside the counts of a recorded trace: its rows are bins one after the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/types.h"
#include "workloads/files/text_lines.h"

namespace harness {

/// Nanoseconds since 1970 of "2023-11-16 18:15:46.6805900"; nothing for another text.
std::optional<TimeNs> read_timestamp(std::string_view text);

/// A column of times, numbers or time stamps, in a file of counts. Rows that are unsorted, repeated or left
/// out would be replayed as bins that follow each other, at other times than recorded.
class BinTimes {
 public:
  /// The first column that a header calls time, timestamp, date, second, minute, hour, bin or t (a unit may
  /// follow: time_s) and whose counts are not read.
  static std::optional<BinTimes> named(const std::vector<std::string_view>& header,
                                       const std::vector<std::size_t>& counts);
  /// Without a header the first column, unless its counts are read. It may be anything: see check().
  static std::optional<BinTimes> unnamed(const std::vector<std::string_view>& fields,
                                         const std::vector<std::size_t>& counts);

  /// Takes the next row. Of a named column throws InputError unless its time is as far after the one before
  /// as the second is after the first. Where a field is no time, the column is none.
  void add(const TextLines& lines, const std::vector<std::string_view>& fields);
  /// After the last row: throws InputError for a column without a name that is one of times, all but a tenth
  /// of its rows equally far apart, but not all.
  void check() const;

 private:
  BinTimes(std::size_t column, std::string name) : column_(column), name_(std::move(name)) {}

  std::size_t column_;
  std::string name_;
  bool is_time_ = true;
  std::size_t rows_ = 0;
  std::size_t wrong_ = 0;
  std::optional<InputError> first_wrong_;
  std::string before_text_;
  double before_ = 0;
  double step_ = 0;
};

}  // namespace harness
