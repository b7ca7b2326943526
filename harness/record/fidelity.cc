#include "harness/record/fidelity.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/record/paired.h"

namespace harness {
namespace {

constexpr const char* kSimulated = "simulated";
/// Of settings that no simulated cell depends on.
constexpr const char* kLiveKeys[] = {"live.", "gpu."};

struct LiveCell {
  CellKey key;
  std::vector<const SummaryRow*> runs;
};

/// Of a live cell the simulated one; of a simulated one itself.
CellKey simulated_counterpart(CellKey key) {
  key.runtime = kSimulated;
  for (const char* keys : kLiveKeys) key = without(std::move(key), keys);
  return key;
}

std::vector<LiveCell> live_cells(std::span<const SummaryRow> rows) {
  std::vector<LiveCell> cells;
  std::map<CellKey, std::size_t> places;
  for (const SummaryRow& row : rows) {
    if (row.cell.runtime == kSimulated) continue;
    const CellKey key = without(key_of(row.cell, row.slo_ms), kRepeatKey);
    const auto [place, is_new] = places.emplace(key, cells.size());
    if (is_new) cells.push_back({key, {}});
    cells[place->second].runs.push_back(&row);
  }
  return cells;
}

bool ran(const SummaryRow* row) { return row->status == "ok"; }

FidelityRow row_of(const LiveCell& cell, const SummaryRow& simulated, const ComparedMetric& metric) {
  FidelityRow row;
  row.cell = cell.key;
  row.metric = metric;
  row.simulated = ran(&simulated) ? metric.value_in(simulated) : kNoValue;
  std::vector<double> values;
  for (const SummaryRow* run : cell.runs) {
    const double value = ran(run) ? metric.value_in(*run) : kNoValue;
    if (!std::isnan(value)) values.push_back(value);
  }
  row.runs = values.size();
  row.live = spread_of(values).mean;
  row.difference = row.live - row.simulated;
  if (values.size() > 1) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    row.half_range = (*most - *least) / 2;
  }
  if (std::isnan(row.difference) || values.size() < cell.runs.size()) return row;
  const double off = std::abs(metric.change(row.simulated, row.live));
  const double scatter = std::isnan(row.half_range) ? 0 : std::abs(row.as_change(row.half_range));
  const bool within = !metric.is_beyond(off) && !metric.is_beyond(scatter);
  row.verdict = within ? FidelityVerdict::kWithin : FidelityVerdict::kBeyond;
  return row;
}

}  // namespace

const char* name_of(FidelityVerdict verdict) {
  switch (verdict) {
    case FidelityVerdict::kWithin:
      return "within";
    case FidelityVerdict::kBeyond:
      return "beyond";
    case FidelityVerdict::kInvalid:
      break;
  }
  return "invalid";
}

std::size_t Fidelity::count_of(FidelityVerdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const FidelityRow& row) { return row.verdict == verdict; }));
}

Fidelity fidelity_of(std::span<const SummaryRow> rows, const std::vector<ComparedMetric>& metrics) {
  Fidelity result;
  std::map<CellKey, std::pair<const SummaryRow*, bool>>
      simulated;  // and whether a live cell stands beside it
  for (const SummaryRow& row : rows) {
    if (row.cell.runtime == kSimulated)
      simulated.emplace(simulated_counterpart(key_of(row.cell, row.slo_ms)), std::pair(&row, false));
    if (!ran(&row))
      result.invalid.push_back(key_of(row.cell, row.slo_ms).name() + ": " + row.status +
                               (row.why.empty() ? "" : " (" + row.why + ")"));
  }
  for (const LiveCell& cell : live_cells(rows)) {
    const auto found = simulated.find(simulated_counterpart(cell.key));
    if (found == simulated.end()) {
      result.alone.push_back(cell.key.name() + ": no simulated cell");
      ++result.live_alone;
      continue;
    }
    found->second.second = true;
    if (!ran(found->second.first) && std::none_of(cell.runs.begin(), cell.runs.end(), ran)) continue;
    for (const ComparedMetric& metric : metrics) {
      const FidelityRow row = row_of(cell, *found->second.first, metric);
      const bool has_none = row.runs == 0 && std::isnan(row.simulated);
      if (!metric.where_present || !has_none) result.rows.push_back(row);
    }
  }
  for (const SummaryRow& row : rows) {
    if (row.cell.runtime != kSimulated) continue;
    const auto found = simulated.find(simulated_counterpart(key_of(row.cell, row.slo_ms)));
    if (!found->second.second) result.alone.push_back(found->first.name() + ": no live cell");
  }
  return result;
}

}  // namespace harness
