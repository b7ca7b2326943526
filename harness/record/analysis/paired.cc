#include "harness/record/analysis/paired.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

namespace harness {
namespace {

using Values = std::set<std::string>;
using Variant = std::pair<std::string, std::string>;  // system, variant

void append(std::string& text, const std::string& word) { text += (text.empty() ? "" : " ") + word; }

bool is_own_key(const SummaryRow& row, const std::string& key) {
  return key.compare(0, row.cell.system.size() + 1, row.cell.system + ".") == 0;
}

/// What the rows of one pipeline, trace and runtime say about parameters.
class ParameterUse {
 public:
  void add(const SummaryRow& row) {
    const Variant variant{row.cell.system, row.cell.variant};
    ++rows_;
    variants_.insert(variant);
    for (const auto& [key, value] : parameters_of(row.cell)) {
      ++rows_with_[key];
      values_[key][variant].insert(value);
    }
  }

  bool is_shared(const SummaryRow& row, const std::string& key) const {
    if (is_own_key(row, key) || rows_with_.at(key) != rows_) return false;
    const std::map<Variant, Values>& values = values_.at(key);
    return values.size() == variants_.size() &&
           std::all_of(values.begin(), values.end(),
                       [&](const auto& entry) { return entry.second == values.begin()->second; });
  }

  std::string shared(const SummaryRow& row) const {
    std::string text;
    for (const auto& [key, value] : parameters_of(row.cell)) {
      if (is_shared(row, key)) append(text, key + "=" + value);
    }
    return text;
  }

  /// The system's name, its variant and what varies within that.
  std::string series(const SummaryRow& row) const {
    std::string name = row.cell.system;
    if (!row.cell.variant.empty() && row.cell.variant != "default") name += "/" + row.cell.variant;
    const Variant variant{row.cell.system, row.cell.variant};
    for (const auto& [key, value] : parameters_of(row.cell)) {
      if (is_shared(row, key) || values_.at(key).at(variant).size() == 1) continue;
      append(name, (is_own_key(row, key) ? key.substr(row.cell.system.size() + 1) : key) + "=" + value);
    }
    return name;
  }

 private:
  std::size_t rows_ = 0;
  std::set<Variant> variants_;
  std::map<std::string, std::size_t> rows_with_;
  std::map<std::string, std::map<Variant, Values>> values_;
};

template <class List, class Match, class Make>
auto& found_or_made(List& list, Match match, Make make) {
  const auto found = std::find_if(list.begin(), list.end(), match);
  return found != list.end() ? *found : list.emplace_back(make());
}

const SummaryRow* with_seed(const SeriesCells& series, std::uint64_t seed) {
  for (const SummaryRow* row : series.rows) {
    if (row->cell.seed == seed) return row;
  }
  return nullptr;
}

/// Not the number of the cell.
template <class Value>
constexpr bool kIsMeasured = std::is_same_v<Value, double> || std::is_same_v<Value, std::uint64_t>;

double value_of(const SummaryRow& row, const std::string& column) {
  return number_in(row, column).value_or(kNoValue);
}

constexpr const char* kBoundShare = "bound_share";

bool any_parameters(const std::vector<WorkloadCells>& workloads) {
  return std::any_of(workloads.begin(), workloads.end(),
                     [](const WorkloadCells& cells) { return !cells.workload.parameters.empty(); });
}

bool several_runtimes(const std::vector<WorkloadCells>& workloads) {
  return std::any_of(workloads.begin(), workloads.end(), [&workloads](const WorkloadCells& cells) {
    return cells.workload.runtime != workloads.front().workload.runtime;
  });
}

/// The mean and the ends of its interval, which are cut to what the values can be.
void add_spread(TextTable& table, const std::string& name, const Spread& spread, double least, double most) {
  table.add({name}, spread.mean);
  const bool has_ends = !std::isnan(spread.half_width);
  const double low = has_ends ? std::max(spread.mean - spread.half_width, least) : kNoValue;
  const double high = has_ends ? std::min(spread.mean + spread.half_width, most) : kNoValue;
  table.add({name + "_low", ""}, low);
  table.add({name + "_high", ""}, high);
  table.add({"", name + "_95"}, has_ends ? number_text(low) + " to " + number_text(high) : "");
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of a metric: shares are within [0, 1] (a live run may pass its bound), nothing is below 0 but what has a
/// mean there.
void add_spread(TextTable& table, const std::string& metric, const Spread& spread) {
  const Metric* known = find_metric(metric);
  const bool is_share = known != nullptr && known->is_share;
  add_spread(table, metric, spread, std::min(0.0, spread.mean),
             is_share ? std::max(1.0, spread.mean) : kInfinity);
}

double largest_difference(const std::string& metric) {
  const Metric* known = find_metric(metric);
  return known != nullptr && known->is_share ? 1 : kInfinity;
}

}  // namespace

double student_t_95(std::size_t freedom) {
  const boost::math::students_t distribution(static_cast<double>(std::max<std::size_t>(freedom, 1)));
  return boost::math::quantile(distribution, 0.975);
}

Spread spread_of(std::span<const double> values) {
  Spread spread;
  double sum = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    ++spread.n;
    sum += value;
  }
  if (spread.n == 0) return spread;
  const auto n = static_cast<double>(spread.n);
  spread.mean = sum / n;
  if (spread.n == 1) return spread;
  double squares = 0;
  for (const double value : values) {
    if (!std::isnan(value)) squares += (value - spread.mean) * (value - spread.mean);
  }
  spread.deviation = std::sqrt(squares / (n - 1));
  spread.half_width = student_t_95(spread.n - 1) * spread.deviation / std::sqrt(n);
  return spread;
}

const SeriesCells* WorkloadCells::find(const std::string& name) const {
  const auto found = std::find_if(series.begin(), series.end(),
                                  [&](const SeriesCells& candidate) { return candidate.name == name; });
  return found == series.end() ? nullptr : &*found;
}

std::vector<WorkloadCells> by_workload(std::span<const SummaryRow> rows) {
  const auto place = [](const SummaryRow& row) {
    return std::array{row.cell.pipeline, row.cell.trace, row.cell.runtime};
  };
  std::map<std::array<std::string, 3>, ParameterUse> uses;
  for (const SummaryRow& row : rows) uses[place(row)].add(row);
  std::vector<WorkloadCells> result;
  for (const SummaryRow& row : rows) {
    if (row.status != "ok") continue;
    const ParameterUse& use = uses.at(place(row));
    const Workload workload{row.cell.pipeline, row.cell.trace,   row.cell.load,
                            row.slo_ms,        row.cell.runtime, use.shared(row)};
    WorkloadCells& cells = found_or_made(
        result, [&](const WorkloadCells& candidate) { return candidate.workload == workload; },
        [&] {
          return WorkloadCells{workload, {}};
        });
    const std::string name = use.series(row);
    SeriesCells& series = found_or_made(
        cells.series, [&](const SeriesCells& candidate) { return candidate.name == name; },
        [&] {
          return SeriesCells{name, {}};
        });
    if (with_seed(series, row.cell.seed) == nullptr) series.rows.push_back(&row);
  }
  return result;
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

Spread spread_over_seeds(const SeriesCells& series, const std::string& metric) {
  std::vector<double> values;
  for (const SummaryRow* row : series.rows) values.push_back(value_of(*row, metric));
  return spread_of(values);
}

PairedSpread paired_over_seeds(const SeriesCells& series, const SeriesCells& baseline,
                               const std::string& metric) {
  std::vector<double> differences;
  std::vector<double> ratios;
  for (const SummaryRow* row : series.rows) {
    const SummaryRow* other = with_seed(baseline, row->cell.seed);
    if (other == nullptr) continue;
    const double value = value_of(*row, metric);
    const double base = value_of(*other, metric);
    differences.push_back(value - base);
    if (base != 0) ratios.push_back(value / base);
  }
  return {spread_of(differences), spread_of(ratios)};
}

TextTable paired_table(const std::vector<WorkloadCells>& workloads, const std::string& metric,
                       const std::string& baseline) {
  const bool parameters = any_parameters(workloads);
  const bool runtimes = several_runtimes(workloads);
  TextTable table;
  for (const WorkloadCells& cells : workloads) {
    const SeriesCells* base = cells.find(baseline);
    for (const SeriesCells& series : cells.series) {
      const Spread own = spread_over_seeds(series, metric);
      const PairedSpread paired = base == nullptr ? PairedSpread() : paired_over_seeds(series, *base, metric);
      table.add_row();
      table.add({"pipeline"}, cells.workload.pipeline);
      table.add({"trace"}, cells.workload.trace);
      table.add({"load"}, cells.workload.load);
      table.add({"slo_ms"}, cells.workload.slo_ms);
      if (runtimes) table.add({"runtime"}, cells.workload.runtime);
      if (parameters) table.add({"parameters"}, cells.workload.parameters);
      table.add({"series"}, series.name);
      table.add({"seeds"}, own.n);
      add_spread(table, metric, own);
      table.add({"pairs"}, paired.difference.n);
      add_spread(table, "difference", paired.difference, -largest_difference(metric),
                 largest_difference(metric));
      table.add({"ratio_pairs", ""}, paired.ratio.n);
      add_spread(table, "ratio", paired.ratio, 0, kInfinity);
      if (metric == kBoundShare) continue;
      const Spread bound = spread_over_seeds(series, kBoundShare);
      table.add({"bound_share_seeds", ""}, bound.n);
      add_spread(table, kBoundShare, bound);
    }
  }
  return table;
}

std::vector<std::string> series_names(const std::vector<WorkloadCells>& workloads) {
  std::vector<std::string> names;
  for (const WorkloadCells& cells : workloads) {
    for (const SeriesCells& series : cells.series) {
      if (std::find(names.begin(), names.end(), series.name) == names.end()) names.push_back(series.name);
    }
  }
  return names;
}

}  // namespace harness
