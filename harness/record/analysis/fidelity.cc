#include "harness/record/analysis/fidelity.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/record/analysis/spread.h"

namespace harness {
namespace {

constexpr const char* kSimulated = "simulated";
/// Prefixes of the settings on which no simulated cell depends.
constexpr const char* kLiveKeys[] = {"live.", "gpu.", "server."};

/// A live run and its simulation.
struct RunPair {
  const SummaryRow* live = nullptr;
  const SummaryRow* simulated = nullptr;
};

struct LiveCell {
  CellKey key;
  std::vector<RunPair> runs;
};

/// Returns the key of the simulated cell that belongs to a live one. A simulated cell's counterpart is
/// itself.
CellKey simulated_counterpart(CellKey key) {
  key.runtime = kSimulated;
  for (const char* keys : kLiveKeys) key = without(std::move(key), keys);
  return key;
}

/// Live cells in the order in which they are first added.
class LiveCells {
 public:
  void add(const RunPair& run) {
    const CellKey key = without(key_of(run.live->cell, run.live->slo_ms), kRepeatKey);
    const auto [place, is_new] = places_.emplace(key, cells_.size());
    if (is_new) cells_.push_back({key, {}});
    cells_[place->second].runs.push_back(run);
  }
  const std::vector<LiveCell>& cells() const { return cells_; }

 private:
  std::vector<LiveCell> cells_;
  std::map<CellKey, std::size_t> places_;
};

bool ran(const SummaryRow* row) { return row->status == "ok"; }

double value_of(const SummaryRow* row, const ComparedMetric& metric) {
  return ran(row) ? metric.value_in(*row) : kNoValue;
}

FidelityRow row_of(const LiveCell& cell, const ComparedMetric& metric) {
  FidelityRow row;
  row.cell = cell.key;
  row.metric = metric;
  const auto difference_in = [&](const RunPair& run) {
    return difference_of(value_of(run.simulated, metric), value_of(run.live, metric));
  };
  const bool some_have_both = std::any_of(cell.runs.begin(), cell.runs.end(), [&](const RunPair& run) {
    return !std::isnan(difference_in(run));
  });
  std::vector<double> live;
  std::vector<double> simulated;
  std::vector<double> differences;
  for (const RunPair& run : cell.runs) {
    const double difference = difference_in(run);
    if (std::isnan(difference) && some_have_both) continue;
    live.push_back(value_of(run.live, metric));
    simulated.push_back(value_of(run.simulated, metric));
    if (!std::isnan(difference)) differences.push_back(difference);
  }
  row.runs = differences.size();
  row.live = spread_of(live).mean;
  row.simulated = spread_of(simulated).mean;
  row.difference = difference_of(row.simulated, row.live);
  if (differences.size() > 1) {
    const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
    row.half_range = (*most - *least) / 2;
  }
  if (differences.size() < cell.runs.size()) return row;
  const double off = std::abs(metric.change(row.simulated, row.live));
  const double scatter = std::isnan(row.half_range) ? 0 : std::abs(row.as_change(row.half_range));
  const bool within = !metric.is_beyond(off) && !metric.is_beyond(scatter);
  row.verdict = within ? FidelityVerdict::kWithin : FidelityVerdict::kBeyond;
  return row;
}

void add_if_not_ok(Fidelity& result, const SummaryRow& row) {
  if (ran(&row)) return;
  result.invalid.push_back(key_of(row.cell, row.slo_ms).name() + ": " + row.status +
                           (row.why.empty() ? "" : " (" + row.why + ")"));
}

/// True if all live runs were ok and against a server, which tells nothing of GPU time.
bool is_hidden_in_a_server(const LiveCell& cell) {
  return std::all_of(cell.runs.begin(), cell.runs.end(),
                     [](const RunPair& run) { return ran(run.live) && run.live->cell.runtime == "server"; });
}

void add_rows(Fidelity& result, const LiveCells& cells, const std::vector<ComparedMetric>& metrics) {
  const auto neither_ran = [](const RunPair& run) { return !ran(run.live) && !ran(run.simulated); };
  for (const LiveCell& cell : cells.cells()) {
    if (std::all_of(cell.runs.begin(), cell.runs.end(), neither_ran)) continue;
    for (const ComparedMetric& metric : metrics) {
      const FidelityRow row = row_of(cell, metric);
      const bool has_none = row.runs == 0 && std::isnan(row.simulated);
      if (metric.where_present && has_none) continue;
      if (std::isnan(row.live) && is_hidden_in_a_server(cell)) continue;
      result.rows.push_back(row);
    }
  }
}

}  // namespace

const char* name_of(FidelityVerdict verdict) {
  constexpr const char* kNames[] = {"within", "beyond", "invalid"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::size_t Fidelity::count_of(FidelityVerdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const FidelityRow& row) { return row.verdict == verdict; }));
}

Fidelity fidelity_of(std::span<const SummaryRow> rows, const std::vector<ComparedMetric>& metrics) {
  Fidelity result;
  // The flag is true if a live cell belongs to the simulated one.
  std::map<CellKey, std::pair<const SummaryRow*, bool>> simulated;
  for (const SummaryRow& row : rows) {
    if (row.cell.runtime == kSimulated)
      simulated.emplace(simulated_counterpart(key_of(row.cell, row.slo_ms)), std::pair(&row, false));
    add_if_not_ok(result, row);
  }
  LiveCells cells;
  std::set<CellKey> alone;
  for (const SummaryRow& row : rows) {
    if (row.cell.runtime == kSimulated) continue;
    const CellKey key = without(key_of(row.cell, row.slo_ms), kRepeatKey);
    const auto found = simulated.find(simulated_counterpart(key));
    if (found != simulated.end()) {
      found->second.second = true;
      cells.add({&row, found->second.first});
    } else if (alone.insert(key).second) {
      result.alone.push_back(key.name() + ": no simulated cell");
      ++result.live_alone;
    }
  }
  add_rows(result, cells, metrics);
  for (const SummaryRow& row : rows) {
    if (row.cell.runtime != kSimulated) continue;
    const auto found = simulated.find(simulated_counterpart(key_of(row.cell, row.slo_ms)));
    if (!found->second.second) result.alone.push_back(found->first.name() + ": no live cell");
  }
  return result;
}

Fidelity fidelity_of(std::span<const LivePair> pairs, const std::vector<ComparedMetric>& metrics) {
  Fidelity result;
  LiveCells cells;
  for (const LivePair& pair : pairs) {
    add_if_not_ok(result, pair.live);
    cells.add({&pair.live, &pair.simulated});
  }
  add_rows(result, cells, metrics);
  return result;
}

}  // namespace harness
