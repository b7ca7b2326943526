#include "harness/claims/result_rows.h"

#include <limits>
#include <type_traits>

#include "harness/record/analysis/summary_table.h"

namespace harness {
namespace {

double share(double part, std::uint32_t whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}

/// True for the columns of a plan that expressions may use: numbers with the same meaning in every cell.
bool is_of_plan(std::string_view column) {
  return column != "at_ns" && column != "module" && column != "device";
}

struct MinuteColumn {
  const char* name;
  double (*value)(const WindowCounts&);
};
constexpr MinuteColumn kMinuteColumns[] = {  // each as the column of /summary with this name
    {"sent", [](const WindowCounts& of) { return static_cast<double>(of.sent); }},
    {"drop_rate", [](const WindowCounts& of) { return share(of.dropped + of.late, of.sent); }},
    {"path_violation_rate",
     [](const WindowCounts& of) {
       return share(of.paths.late + of.paths.lost, of.paths.in_time + of.paths.late + of.paths.lost);
     }},
    {"accuracy",  // a sum of 0 means that models have no accuracies
     [](const WindowCounts& of) {
       return share(of.accuracy_sum, of.accuracy_sum > 0 ? of.in_time + of.late : 0);
     }}};

std::string minute_column(std::string_view name) { return std::string(kMinute) + "." + std::string(name); }

}  // namespace

const FieldValue* ResultRow::find(std::string_view key) const {
  const auto found = fields.find(key);
  return found == fields.end() ? nullptr : &found->second;
}

std::vector<ResultRow> result_rows(const std::string& experiment, std::vector<SummaryRow> rows,
                                   const CellDetails& details) {
  std::vector<ResultRow> result;
  auto plan = details.plans.begin();
  auto minutes = details.minutes.begin();
  for (SummaryRow& row : rows) {
    ResultRow made;
    made.ok = row.status == "ok";
    if (!made.ok) made.why = row.status + ": " + row.why;
    add_fields(row, made);
    made.fields.emplace("experiment", FieldValue{experiment, std::nullopt});
    for (const auto& [key, value] : parameters_of(row.cell)) {
      made.fields.insert_or_assign(key, field_value(value));
    }
    for (; plan != details.plans.end() && plan->cell == row.cell.index; ++plan) {
      PlanRow::list(plan->row, [&](const char* name, const auto& value) {
        if (is_of_plan(name)) made.plan["plan." + plan->module + "." + name] = static_cast<double>(value);
      });
    }
    if (minutes != details.minutes.end() && minutes->cell == row.cell.index) {
      for (const MinuteColumn& column : kMinuteColumns) {
        std::vector<double>& values = made.minutes[minute_column(column.name)];
        for (const WindowCounts& minute : minutes->minutes) values.push_back(column.value(minute));
      }
      ++minutes;
    }
    result.push_back(std::move(made));
  }
  return result;
}

std::vector<std::string> numeric_columns() {
  std::vector<std::string> names;
  const SummaryRow row;
  SummaryRow::list(row, [&]<class Value>(const char* name, const Value&) {
    if (!std::is_same_v<Value, std::string>) names.emplace_back(name);
  });
  names.emplace_back("mean_cv");
  return names;
}

std::vector<std::string> plan_columns() {
  std::vector<std::string> names;
  const PlanRow row;
  PlanRow::list(row, [&](const char* name, const auto&) {
    if (is_of_plan(name)) names.emplace_back(name);
  });
  return names;
}

std::vector<std::string> minute_columns() {
  std::vector<std::string> names;
  for (const MinuteColumn& column : kMinuteColumns) names.emplace_back(column.name);
  return names;
}

std::vector<std::string> selecting_columns() {
  std::vector<std::string> names = summary_columns();
  names.emplace_back("experiment");
  names.emplace_back("setting");
  names.emplace_back("window_s");
  names.emplace_back("group");
  return names;
}

}  // namespace harness
