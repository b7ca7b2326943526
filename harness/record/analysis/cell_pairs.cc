#include "harness/record/analysis/cell_pairs.h"

#include <cmath>
#include <map>
#include <set>

#include "harness/text/text_table.h"

namespace harness {
namespace {

using RowsByKey = std::map<CellKey, const SummaryRow*>;

/// Makes keys in which loads that differ only in the last bits, as another build may compute them, are equal.
class Keys {
 public:
  CellKey of(const SummaryRow& row) {
    CellKey key = key_of(row.cell, row.slo_ms);
    const double margin = 1e-9 * std::abs(key.load);
    const auto near = loads_.lower_bound(key.load - margin);
    if (near != loads_.end() && *near <= key.load + margin)
      key.load = *near;
    else
      loads_.insert(key.load);
    return key;
  }

 private:
  std::set<double> loads_;
};

RowsByKey by_key(std::span<const SummaryRow> rows, Keys& keys, std::vector<CellKey>& twice) {
  RowsByKey found;
  for (const SummaryRow& row : rows) {
    const CellKey key = keys.of(row);
    if (!found.emplace(key, &row).second) twice.push_back(key);
  }
  return found;
}

}  // namespace

CellPairs paired_cells(std::span<const SummaryRow> base, std::span<const SummaryRow> now) {
  CellPairs result;
  Keys keys;
  const RowsByKey base_rows = by_key(base, keys, result.twice);
  const RowsByKey now_rows = by_key(now, keys, result.twice);
  for (const SummaryRow& row : base) {
    const CellKey key = keys.of(row);
    if (base_rows.at(key) != &row) continue;
    const auto other = now_rows.find(key);
    if (other == now_rows.end()) {
      result.only_base.push_back(key);
    } else {
      result.pairs.push_back({key, &row, other->second});
    }
  }
  for (const SummaryRow& row : now) {
    const CellKey key = keys.of(row);
    if (base_rows.count(key) == 0 && now_rows.at(key) == &row) result.only_now.push_back(key);
  }
  return result;
}

std::string different_workload(const CellPair& pair) {
  const auto differ = [](const char* what, double base, double now) {
    return base == now ? "" : std::string(what) + " " + number_text(base) + ", now " + number_text(now);
  };
  for (const std::string& difference :
       {differ("duration_s", pair.base->duration_s, pair.now->duration_s),
        differ("measured_from_s", pair.base->measured_from_s, pair.now->measured_from_s),
        differ("workers", static_cast<double>(pair.base->workers), static_cast<double>(pair.now->workers)),
        differ("sent", static_cast<double>(pair.base->sent), static_cast<double>(pair.now->sent))}) {
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace harness
