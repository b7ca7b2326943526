#include "harness/record/run/summary.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>

#include "harness/core/error.h"

namespace harness {
std::string hex16(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

std::vector<std::pair<std::string, std::string>> parameters_of(const CellIdentity& cell) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::istringstream words(cell.parameters);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      if (!pairs.empty()) pairs.back().second += " " + word;
      continue;
    }
    const std::string key = word.substr(0, equals);
    std::erase_if(pairs, [&](const auto& earlier) { return earlier.first == key; });
    pairs.emplace_back(key, word.substr(equals + 1));
  }
  return pairs;
}

const char* name_of(Better better) {
  constexpr const char* kNames[] = {"higher", "lower", "neither"};
  return kNames[static_cast<std::size_t>(better)];
}

const char* name_of(OfNothing rule) {
  constexpr const char* kNames[] = {"value", "none", "inf"};
  return kNames[static_cast<std::size_t>(rule)];
}

void settle_values(SummaryRow& row) {
  if (row.in_time + row.late > 0) return;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const OfNothing rule = row.sent == 0 ? metrics()[i].unsent : metrics()[i].uncompleted;
    if (rule == OfNothing::kAbsent) row.values[i] = kNoValue;
    if (rule == OfNothing::kUnbounded) row.values[i] = std::numeric_limits<double>::infinity();
  }
}

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

const Metric* find_metric(std::string_view name) {
  const auto found = std::find_if(metrics().begin(), metrics().end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  return found == metrics().end() ? nullptr : &*found;
}

double& SummaryRow::operator[](std::string_view metric) {
  const Metric* found = find_metric(metric);
  HARNESS_CHECK(found != nullptr, "no metric has this name");
  return values[static_cast<std::size_t>(found - metrics().data())];
}

double SummaryRow::operator[](std::string_view metric) const {
  return const_cast<SummaryRow&>(*this)[metric];
}

}  // namespace harness
