// Pairs of cells with the same identity, from two results files or two runtimes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/record/analysis/cell_key.h"
#include "harness/record/run/summary_row.h"

namespace harness {

struct CellPair;

/// The pairs of cells of two lists of rows, and the cells without a partner.
struct CellPairs {
  std::vector<CellPair> pairs;  ///< pairs in order of the base's rows
  std::vector<CellKey> only_base, only_now;
  std::vector<CellKey> twice;  ///< keys that one file has more than once; the later rows are left out
};
/// Pairs the rows by their keys. The result points into both spans.
CellPairs paired_cells(std::span<const SummaryRow> base, std::span<const SummaryRow> now);

/// Two rows with the same key.
struct CellPair {
  CellKey key;
  const SummaryRow* base = nullptr;
  const SummaryRow* now = nullptr;

  bool ran() const { return base->status == "ok" && now->status == "ok"; }
};
/// Returns the first difference between what the two cells were given (length, start of the measured part,
/// workers, number of requests): "workers 64, now 32". Returns "" if all are equal. Only for pairs that ran.
std::string different_workload(const CellPair& pair);

}  // namespace harness
