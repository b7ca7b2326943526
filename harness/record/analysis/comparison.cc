#include "harness/record/analysis/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/core/wording.h"
#include "harness/record/analysis/settings_differences.h"

namespace harness {
namespace {

using Pairs = std::vector<CellPair>;

struct Series {
  std::string name;
  Pairs pairs;
};

/// The sums over the runs of one cell.
struct Point {
  std::string workload;
  double base = 0, now = 0;  ///< sums
  double runs = 0;
};

bool has_value(double value) { return !std::isnan(value); }

/// True for columns on which no decision of a system has an effect.
bool is_timing(const std::string& metric) { return metric == "wall_s" || metric == "sim_requests_per_s"; }

bool is_simulated(const CellPair& pair) { return pair.key.runtime == "simulated"; }

bool same_fingerprint(const CellPair& pair) {
  return is_simulated(pair) && !pair.base->fingerprint.empty() &&
         pair.base->fingerprint == pair.now->fingerprint;
}

std::vector<Series> series_of(const Pairs& pairs) {
  std::vector<Series> result;
  for (const CellPair& pair : pairs) {
    const std::string name = pair.key.series_and_runtime();
    auto found =
        std::find_if(result.begin(), result.end(), [&](const Series& each) { return each.name == name; });
    if (found == result.end()) found = result.insert(result.end(), {name, {}});
    found->pairs.push_back(pair);
  }
  return result;
}

/// Sets the worst cell and the verdict.
void judge(MetricChange& change, const std::vector<Point>& points) {
  const ComparedMetric& metric = change.metric;
  double worst = 0;
  double best = 0;
  for (const Point& point : points) {
    const double moved = metric.change(point.base / point.runs, point.now / point.runs);
    const double worsening = metric.worsening(moved);
    best = std::max(best, -worsening);
    if (has_value(change.worst) && worsening <= worst) continue;
    worst = worsening;
    change.worst = moved;
    change.worst_cell = moved == 0 ? "" : point.workload;
  }
  if (metric.is_beyond(worst) || !change.lost.empty()) {
    change.verdict = ChangeVerdict::kRegression;
  } else if (metric.is_beyond(best)) {
    change.verdict = ChangeVerdict::kBetter;
  }
}

MetricChange change_of(const Series& series, const ComparedMetric& metric) {
  MetricChange change;
  change.series = series.name;
  change.metric = metric;
  std::vector<double> base, now, differences;
  std::map<CellKey, std::size_t> places;
  std::vector<Point> points;
  for (const CellPair& pair : series.pairs) {
    const double before = metric.value_in(*pair.base);
    const double after = metric.value_in(*pair.now);
    if (has_value(before) && !has_value(after)) change.lost.push_back(pair.key.workload_and_seed());
    if (!has_value(before) && has_value(after)) change.gained.push_back(pair.key.workload_and_seed());
    if (!has_value(before) || !has_value(after)) continue;
    base.push_back(before);
    now.push_back(after);
    differences.push_back(difference_of(before, after));
    const CellKey key = without(pair.key, kRepeatKey);
    const auto [place, is_new] = places.emplace(key, points.size());
    if (is_new) points.push_back({key.workload_and_seed(), 0, 0, 0});
    Point& point = points[place->second];
    point.base += before;
    point.now += after;
    ++point.runs;
  }
  change.base = spread_of(base).mean;
  change.now = spread_of(now).mean;
  change.difference = spread_of(differences);
  judge(change, points);
  return change;
}

std::string status_text(const SummaryRow& row) {
  return row.status + (row.why.empty() ? "" : " (" + row.why + ")");
}

void add_problems(Comparison& comparison, const CellPairs& cells) {
  const auto add = [&](const std::vector<CellKey>& keys, const char* what,
                       const std::vector<CellKey>& others) {
    for (const CellKey& key : keys) {
      const auto has_its_name = [&key](const CellKey& other) { return other.name() == key.name(); };
      const bool is_ambiguous = !key.parameters.empty() && std::ranges::any_of(others, has_its_name);
      comparison.problems.push_back(key.name() + (is_ambiguous ? " with " + key.parameters : "") + ": " +
                                    what);
    }
  };
  add(cells.only_base, "only in the base", cells.only_now);
  add(cells.only_now, "only in the new results", cells.only_base);
  add(cells.twice, "twice in one file", {});
  if (cells.pairs.empty()) comparison.problems.emplace_back("the files have no cell in common");
}

void count_fingerprints(Comparison& comparison, const CellPair& pair,
                        const std::vector<ComparedMetric>& metrics) {
  comparison.simulated += is_simulated(pair) ? 1 : 0;
  if (!same_fingerprint(pair)) return;
  ++comparison.same_fingerprint;
  const bool differs = std::any_of(metrics.begin(), metrics.end(), [&](const ComparedMetric& metric) {
    const double before = metric.value_in(*pair.base);
    const double after = metric.value_in(*pair.now);
    return !is_timing(metric.name) && before != after && (has_value(before) || has_value(after));
  });
  if (differs) comparison.recomputed.push_back(pair.key.name());
}

void add_settings(Comparison& comparison, const Pairs& pairs) {
  std::map<std::string, std::size_t> cells;
  for (const CellPair& pair : pairs) {
    for (const std::string& difference :
         settings_differences(pair.base->cell.effective_toml, pair.now->cell.effective_toml))
      ++cells[difference];
    const std::string& before = pair.base->devices;
    const std::string& after = pair.now->devices;
    if (!before.empty() && !after.empty() && before != after) ++cells["devices " + before + ", now " + after];
  }
  for (const auto& [difference, count] : cells)
    comparison.settings.push_back(difference + " (" + counted(count, "cell") + ")");
}

/// Notes a pair's status and problems; returns true if its metrics can be compared.
bool is_comparable(Comparison& comparison, const CellPair& pair) {
  if (!pair.ran()) {
    const StatusChange change{pair.key, status_text(*pair.base) + ", now " + status_text(*pair.now)};
    if (pair.base->status == "ok") {
      comparison.stopped.push_back(change);
    } else if (pair.now->status == "ok") {
      comparison.resumed.push_back(change);
    } else {
      ++comparison.idle;
    }
    return false;
  }
  const std::string difference = different_workload(pair);
  if (!difference.empty()) comparison.problems.push_back(pair.key.name() + ": " + difference);
  return difference.empty();
}

}  // namespace

const char* name_of(ChangeVerdict verdict) {
  constexpr const char* kNames[] = {"same", "better", "regression"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::size_t Comparison::regressions() const { return stopped.size() + count_of(ChangeVerdict::kRegression); }

std::size_t Comparison::count_of(ChangeVerdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      metrics.begin(), metrics.end(), [&](const MetricChange& change) { return change.verdict == verdict; }));
}

Comparison compare(std::span<const SummaryRow> base, std::span<const SummaryRow> now,
                   const std::vector<ComparedMetric>& metrics) {
  Comparison comparison;
  const CellPairs cells = paired_cells(base, now);
  comparison.pairs = cells.pairs.size();
  add_problems(comparison, cells);
  add_settings(comparison, cells.pairs);
  Pairs comparable;
  for (const CellPair& pair : cells.pairs) {
    if (is_comparable(comparison, pair)) comparable.push_back(pair);
  }
  if (!cells.pairs.empty() && comparison.idle == cells.pairs.size())
    comparison.problems.emplace_back("no cell ran in either file");
  for (const CellPair& pair : comparable) count_fingerprints(comparison, pair, metrics);
  for (const Series& series : series_of(comparable)) {
    for (const ComparedMetric& metric : metrics) {
      MetricChange change = change_of(series, metric);
      const bool has_none = change.difference.n == 0 && change.lost.empty();
      if (!metric.where_present || !has_none) comparison.metrics.push_back(std::move(change));
    }
  }
  return comparison;
}

}  // namespace harness
