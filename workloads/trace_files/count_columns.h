// Columns of counts, rates or counters in a log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/spec/trace_spec.h"
#include "workloads/trace_files/log_reading.h"
#include "workloads/trace_files/log_table.h"
#include "workloads/trace_files/written_numbers.h"

namespace harness {

/// What the chosen columns of one row add up to; of counters since the row before. Table and reading outlive
/// this.
class CountColumns {
 public:
  CountColumns(const LogTable& table, const LogReading& reading);

  /// Returns the sum over the table's row; nothing in the first row of counters.
  std::optional<double> next();

  /// After the last row; `sums`: what next() gave. Throws InputError for numbers that may be others than
  /// those written, or no counts.
  void check(const TraceSpec& spec, const std::vector<double>& sums) const;

  /// Returns how many requests a number in the columns stands for in a bin of bin_s. Throws InputError for
  /// columns of which these differ.
  double requests_for_one(double bin_s) const;

  /// "counts in column 'n'".
  std::string called() const;

 private:
  void check_first_column(const std::vector<double>& sums) const;
  void check_rises(const TraceSpec& spec, const std::vector<double>& sums) const;

  const LogTable& table_;
  const LogReading& reading_;
  bool is_counter_;
  std::vector<double> before_;
  std::vector<WrittenNumbers> written_;
  std::vector<std::string> fractions_;  ///< the first of each column
  std::size_t rows_ = 0;
  std::size_t resets_ = 0;
};

}  // namespace harness
