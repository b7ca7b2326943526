// The columns of /summary: the facts about them that readers of a results file need, and their numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/run/metrics.h"
#include "harness/record/run/summary_row.h"

namespace harness {

/// One row of /columns: the facts that readers need about a column of /summary.
struct ColumnFacts {
  std::string name;
  std::string unit;    ///< unit; "": it has no unit
  std::string better;  ///< name_of(Better)
  bool is_share = false;
  std::string unsent = name_of(OfNothing::kUsual);  ///< name_of(OfNothing) for a run that sent no request
  std::string uncompleted = name_of(OfNothing::kUsual);  ///< name_of(OfNothing) for one that completed none

  static void list(auto& row, auto&& column) {
    column("name", row.name);
    column("unit", row.unit);
    column("better", row.better);
    column("is_share", row.is_share);
    column("no_request_sent", row.unsent);
    column("none_completed", row.uncompleted);
  }
};
/// Returns them for all columns of /summary, in their order.
std::vector<ColumnFacts> column_facts();
/// Returns the direction in which a column is better, also for a column that is no metric.
Better better_of(std::string_view column);

/// Returns the number in the column; nothing if there is no such column or it holds text.
std::optional<double> number_in(const SummaryRow& row, const std::string& column);
/// Returns the names of the columns that hold numbers, except the columns that identify a cell.
std::vector<std::string> metric_columns();

}  // namespace harness
