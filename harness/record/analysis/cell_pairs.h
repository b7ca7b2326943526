// Cells of two results files, or of two runtimes, put together by what they are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/record/run/summary.h"

namespace harness {

/// What a cell is, apart from its place in the file, what it came from, and the build.
struct CellKey {
  std::string system, variant, pipeline, trace;
  double load = 0;
  double slo_ms = 0;
  std::uint64_t seed = 0;
  std::string runtime;
  std::string
      parameters;        ///< one for each key, sorted by key; what counts as an answer where it is not usual
  std::string series;    ///< the column: to group and to show, no part of what is compared
  std::string workload;  ///< the same

  bool operator==(const CellKey& other) const;
  bool operator<(const CellKey& other) const;
  /// "pard", "pard/back lambda=0.2", "pard/back emulated".
  std::string series_and_runtime() const;
  /// "lv tweet load 1 slo 500 ms cluster.workers=64 seed 1".
  std::string workload_and_seed() const;
  /// The series on the workload, with the seed.
  std::string name() const { return series + " " + workload_and_seed(); }
};
CellKey key_of(const CellIdentity& cell, double slo_ms);

/// The parameter that numbers the runs of one and the same live cell.
inline constexpr const char* kRepeatKey = "live.repeat";
/// The key without the parameter of that name, or, when it ends in a dot, without those that begin so.
CellKey without(CellKey key, const std::string& parameter);

/// Two rows of the same key.
struct CellPair {
  CellKey key;
  const SummaryRow* base = nullptr;
  const SummaryRow* now = nullptr;

  bool ran() const { return base->status == "ok" && now->status == "ok"; }
};

struct CellPairs {
  std::vector<CellPair> pairs;  ///< in order of the base's rows
  std::vector<CellKey> only_base, only_now;
  std::vector<CellKey> twice;  ///< in one of the two; the later rows are left out
};
/// Points into both.
CellPairs paired_cells(std::span<const SummaryRow> base, std::span<const SummaryRow> now);

/// "" when both cells were given the same: length, workers and number of requests; else what differs:
/// "workers 64, now 32". Only for pairs that ran.
std::string different_workload(const CellPair& pair);

}  // namespace harness
