#include "harness/record/run/series.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>

namespace harness {
namespace {

using Values = std::set<std::string>;

void append(std::string& text, const std::string& word) { text += (text.empty() ? "" : " ") + word; }

std::string number_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

/// Collects the parameters of the rows of one pipeline, trace and runtime, and names these rows' series.
class ParameterUse {
 public:
  void add(const SummaryRow& row) {
    const std::string configuration = configuration_of(row);
    ++rows_;
    configurations_.insert(configuration);
    for (const auto& [key, value] : parameters_of(row.cell)) {
      ++rows_with_[key];
      values_[key][configuration].insert(value);
    }
  }

  void name(SummaryRow& row) const {
    std::string shared;
    std::string swept;
    for (const auto& [key, value] : parameters_of(row.cell)) {
      if (is_shared(row, key))
        append(shared, key + "=" + value);
      else if (values_.at(key).at(configuration_of(row)).size() > 1)
        append(swept, key + "=" + value);
    }
    row.cell.series = series_text(row.cell, swept);
    row.cell.workload = workload_text(row.cell, "load " + number_of(row.cell.load),
                                      "slo " + number_of(row.slo_ms) + " ms", shared);
  }

 private:
  static std::string configuration_of(const SummaryRow& row) {
    return configuration_text(row.cell.system, row.cell.variant);
  }

  bool is_shared(const SummaryRow& row, const std::string& key) const {
    if (key.starts_with(row.cell.system + ".") || rows_with_.at(key) != rows_) return false;
    const std::map<std::string, Values>& values = values_.at(key);
    return values.size() == configurations_.size() &&
           std::all_of(values.begin(), values.end(),
                       [&](const auto& entry) { return entry.second == values.begin()->second; });
  }

  std::size_t rows_ = 0;
  std::set<std::string> configurations_;
  std::map<std::string, std::size_t> rows_with_;
  std::map<std::string, std::map<std::string, Values>> values_;  ///< values by key and configuration
};

}  // namespace

std::string configuration_text(const std::string& system, const std::string& variant) {
  return variant.empty() || variant == "default" ? system : system + "/" + variant;
}

std::string series_text(const CellIdentity& cell, const std::string& swept) {
  std::string text = configuration_text(cell.system, cell.variant);
  CellIdentity own;
  own.parameters = swept;
  for (const auto& [key, value] : parameters_of(own)) {
    const bool is_of_system = key.starts_with(cell.system + ".");
    append(text, (is_of_system ? key.substr(cell.system.size() + 1) : key) + "=" + value);
  }
  return text;
}

std::string workload_text(const CellIdentity& cell, const std::string& offered, const std::string& slo,
                          const std::string& shared) {
  std::string text = cell.pipeline + " " + cell.trace + " " + offered + " " + slo;
  if (!cell.runtime.empty() && cell.runtime != "simulated") append(text, cell.runtime);
  if (!shared.empty()) append(text, shared);
  return text;
}

std::string shared_parameters(const CellIdentity& cell) {
  const std::size_t names = cell.pipeline.size() + cell.trace.size() + 1;
  const std::size_t first = cell.workload.find('=', names);
  return first == std::string::npos ? "" : cell.workload.substr(cell.workload.rfind(' ', first) + 1);
}

void name_series(std::span<SummaryRow> rows) {
  const auto has_none = [](const SummaryRow& row) { return row.cell.workload.empty(); };
  if (std::none_of(rows.begin(), rows.end(), has_none)) return;
  const auto place = [](const SummaryRow& row) {
    return std::array{row.cell.pipeline, row.cell.trace, row.cell.runtime};
  };
  std::map<std::array<std::string, 3>, ParameterUse> uses;
  for (const SummaryRow& row : rows) uses[place(row)].add(row);
  for (SummaryRow& row : rows) {
    if (has_none(row)) uses.at(place(row)).name(row);
  }
}

}  // namespace harness
