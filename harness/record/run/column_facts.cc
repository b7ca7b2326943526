#include "harness/record/run/column_facts.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <type_traits>

namespace harness {

Better better_of(std::string_view column) {
  if (const Metric* metric = find_metric(column)) return metric->better;
  if (column == "in_time") return Better::kHigher;
  return column == "late" || column == "dropped" || column == "unfinished" ? Better::kLower
                                                                           : Better::kNeither;
}

namespace {

const char* unit_of(std::string_view column) {
  if (const Metric* metric = find_metric(column)) return metric->unit;
  if (column == "slo_ms") return "ms";
  if (column == "duration_s" || column == "measured_from_s") return "s";
  if (column == "workers") return "workers";
  constexpr std::string_view kCounts[] = {"sent", "in_time", "late", "dropped", "unfinished"};
  return std::find(std::begin(kCounts), std::end(kCounts), column) == std::end(kCounts) ? "" : "requests";
}

/// True for the types of columns that hold measured numbers; the cell's index has another type.
template <class Value>
constexpr bool kIsMeasured = std::is_same_v<Value, double> || std::is_same_v<Value, std::uint64_t>;

}  // namespace

std::vector<ColumnFacts> column_facts() {
  std::vector<ColumnFacts> facts;
  const SummaryRow row;
  SummaryRow::list(row, [&facts](const char* name, const auto&) {
    ColumnFacts& column = facts.emplace_back();
    column.name = name;
    column.unit = unit_of(name);
    column.better = name_of(better_of(name));
    const Metric* metric = find_metric(name);
    if (metric == nullptr) return;
    column.is_share = metric->is_share;
    column.unsent = name_of(metric->unsent);
    column.uncompleted = name_of(metric->uncompleted);
  });
  return facts;
}

std::optional<double> number_in(const SummaryRow& row, const std::string& column) {
  std::optional<double> number;
  SummaryRow::list(row, [&]<class Value>(const char* name, const Value& value) {
    if constexpr (kIsMeasured<Value>) {
      if (column == name) number = static_cast<double>(value);
    }
  });
  return number;
}

std::vector<std::string> metric_columns() {
  const std::set<std::string> naming = {"load", "seed", "slo_ms"};
  std::vector<std::string> names;
  const SummaryRow row;
  SummaryRow::list(row, [&]<class Value>(const char* name, const Value&) {
    if (kIsMeasured<Value> && naming.count(name) == 0) names.emplace_back(name);
  });
  return names;
}

}  // namespace harness
