// Rows of /summary as claims look them up: fields by name, swept parameters among them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/record/run/summary.h"

namespace harness {

/// What a field holds. A text that reads as a number also has `number`.
struct FieldValue {
  std::string text;
  std::optional<double> number;
};
FieldValue field_value(std::string_view text);
FieldValue field_value(double number);
/// Equal as numbers (within one millionth, so that a load meets its nominal value) where both are, else as
/// texts.
bool same_value(const FieldValue& a, const FieldValue& b);
/// In the order of numbers, then of texts.
bool value_less(const FieldValue& a, const FieldValue& b);

/// One cell. `fields` holds the columns of /summary, `experiment` (the stem of the file), and the key=value
/// pairs of the column `parameters`.
struct ResultRow {
  std::map<std::string, FieldValue, std::less<>> fields;
  /// Of the plan with which it began: "plan.MODULE.COLUMN", where plans were read.
  std::map<std::string, double, std::less<>> plan;
  /// By "minute.COLUMN" a value for each minute of the load (NaN: none), where minutes were read.
  std::map<std::string, std::vector<double>, std::less<>> minutes;
  bool ok = true;
  std::string why;  ///< when not ok: "skipped: ..." or "invalid: ..."

  const FieldValue* find(std::string_view key) const;
};

/// The columns of a stored row, as it lists them.
template <class Stored>
void add_fields(const Stored& stored, ResultRow& row) {
  Stored::list(stored, [&]<class Value>(const char* name, const Value& value) {
    if constexpr (std::is_same_v<Value, std::string>)
      row.fields.emplace(name, FieldValue{value, std::nullopt});
    else
      row.fields.emplace(name, field_value(static_cast<double>(value)));
  });
}

/// What expressions may ask of cells beside /summary; of all cells that ran, in the order of their rows, or
/// none.
struct CellDetails {
  std::vector<StartPlan> plans = {};
  std::vector<CellMinutes> minutes = {};
};
std::vector<ResultRow> result_rows(const std::string& experiment, std::vector<SummaryRow> rows,
                                   const CellDetails& details = {});

/// The columns of /summary that hold numbers, and of the tables of harness trace cv: the metrics of
/// expressions.
std::vector<std::string> numeric_columns();
/// The columns of a module's part of a plan: COLUMN of "plan.MODULE.COLUMN".
std::vector<std::string> plan_columns();
/// COLUMN of "minute.COLUMN".
std::vector<std::string> minute_columns();
/// The key that a reduction over minutes names.
inline constexpr std::string_view kMinute = "minute";
/// All columns, those of harness trace cv, `experiment` and `setting`: what rows can be selected by, besides
/// parameters with a dot.
std::vector<std::string> selecting_columns();

}  // namespace harness
