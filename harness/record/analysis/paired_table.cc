#include "harness/record/analysis/paired_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/record/analysis/paired_spread.h"
#include "harness/record/run/metrics.h"
#include "harness/record/run/no_value.h"
#include "harness/record/run/series.h"

namespace harness {
namespace {

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

}  // namespace harness
