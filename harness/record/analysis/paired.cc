#include "harness/record/analysis/paired.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>

#include "harness/record/run/series.h"

namespace harness {
namespace {

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

/// True for the types of columns that hold measured numbers; the cell's index has another type.
template <class Value>
constexpr bool kIsMeasured = std::is_same_v<Value, double> || std::is_same_v<Value, std::uint64_t>;

double value_of(const SummaryRow& row, const std::string& column) {
  return number_in(row, column).value_or(kNoValue);
}

constexpr const char* kBoundShare = "bound_share";

bool any_parameters(const std::vector<WorkloadCells>& workloads) {
  return std::any_of(workloads.begin(), workloads.end(), [](const WorkloadCells& cells) {
    return !shared_parameters(cells.first().cell).empty();
  });
}

bool several_runtimes(const std::vector<WorkloadCells>& workloads) {
  return std::any_of(workloads.begin(), workloads.end(), [&workloads](const WorkloadCells& cells) {
    return cells.first().cell.runtime != workloads.front().first().cell.runtime;
  });
}

/// Adds the mean and the ends of its interval, which are cut to the range of possible values.
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

/// Adds the mean and interval of a metric. The interval is cut to the metric's range: a share is at most 1
/// unless its mean is above (a live run may pass its bound), and no metric is below 0 unless its mean is.
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
  std::vector<WorkloadCells> result;
  for (const SummaryRow& row : rows) {
    if (row.status != "ok") continue;
    WorkloadCells& cells = found_or_made(
        result, [&](const WorkloadCells& candidate) { return candidate.workload == row.cell.workload; },
        [&] {
          return WorkloadCells{row.cell.workload, {}};
        });
    SeriesCells& series = found_or_made(
        cells.series, [&](const SeriesCells& candidate) { return candidate.name == row.cell.series; },
        [&] {
          return SeriesCells{row.cell.series, {}};
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
    differences.push_back(value - base);  // NaN, and so not counted, if both are infinite
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
      table.add({"pipeline"}, cells.first().cell.pipeline);
      table.add({"trace"}, cells.first().cell.trace);
      table.add({"load"}, cells.first().cell.load);
      table.add({"slo_ms"}, cells.first().slo_ms);
      if (runtimes) table.add({"runtime"}, cells.first().cell.runtime);
      if (parameters) table.add({"parameters"}, shared_parameters(cells.first().cell));
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
