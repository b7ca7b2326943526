// Rows of /summary in the form in which claims look them up: fields by name, including swept parameters.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/claims/field_value.h"
#include "harness/record/run/plan_row.h"
#include "harness/record/run/summary_row.h"
#include "harness/record/run/window_counts.h"

namespace harness {

/// The results of one cell. `fields` holds the columns of /summary, `experiment` (the stem of the file), and
/// the key=value pairs of the column `parameters`.
struct ResultRow {
  std::map<std::string, FieldValue, std::less<>> fields;
  /// Values of the initial plan by "plan.MODULE.COLUMN"; empty if plans were not read.
  std::map<std::string, double, std::less<>> plan;
  /// Values for each minute of the load by "minute.COLUMN" (NaN: no value); empty if minutes were not read.
  std::map<std::string, std::vector<double>, std::less<>> minutes;
  bool ok = true;
  std::string why;  ///< reason if not ok: "skipped: ..." or "invalid: ..."

  /// Returns the field, or null if the row lacks it.
  const FieldValue* find(std::string_view key) const;
};

/// The field of rows whose results are in a file of another name than their experiment's.
inline constexpr const char* kResultsField = "results";

/// Adds the columns that a stored row lists.
template <class Stored>
void add_fields(const Stored& stored, ResultRow& row) {
  Stored::list(stored, [&]<class Value>(const char* name, const Value& value) {
    if constexpr (std::is_same_v<Value, std::string>)
      row.fields.emplace(name, FieldValue{value, std::nullopt});
    else
      row.fields.emplace(name, field_value(static_cast<double>(value)));
  });
}

/// Data of cells that expressions may use in addition to /summary. Each list covers all cells that ran, in
/// the order of their rows, or is empty.
struct CellDetails {
  std::vector<StartPlan> plans = {};
  std::vector<CellMinutes> minutes = {};
};
std::vector<ResultRow> result_rows(const std::string& experiment, std::vector<SummaryRow> rows,
                                   const CellDetails& details = {});

/// Returns the names of the metrics of expressions: the numeric columns of /summary, and mean_cv of the
/// tables that `harness trace cv` writes.
std::vector<std::string> numeric_columns();
/// Returns the columns of a plan's row: COLUMN of "plan.MODULE.COLUMN".
std::vector<std::string> plan_columns();
/// Returns the columns of a minute: COLUMN of "minute.COLUMN".
std::vector<std::string> minute_columns();
/// The word "minute" of expressions: in "minute.COLUMN", and as the key of reductions "over minute".
inline constexpr std::string_view kMinute = "minute";
/// Returns the keys that select rows, except parameters with a dot in their names: all columns of /summary,
/// `experiment`, `setting`, and window_s and group of the tables that `harness trace cv` writes.
std::vector<std::string> selecting_columns();

}  // namespace harness
