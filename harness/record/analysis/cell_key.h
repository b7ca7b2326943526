// The key of a cell, by which cells of two results files or two runtimes are paired.
#pragma once

#include <cstdint>
#include <string>

#include "harness/record/run/cell_identity.h"

namespace harness {

/// The identity of a cell, without its place in the file, the files that it was made from, and the build.
struct CellKey {
  std::string system, variant, pipeline, trace;
  double load = 0;
  double slo_ms = 0;
  std::uint64_t seed = 0;
  std::string runtime;
  /// The parameters, one for each key, sorted by key. Partial answers are a parameter here, too.
  std::string parameters;
  std::string series;    ///< column `series`: to group and to show cells, not compared
  std::string workload;  ///< column `workload`: to group and to show cells, not compared

  bool operator==(const CellKey& other) const;
  bool operator<(const CellKey& other) const;
  /// Returns the series with the runtime, if it is not simulated: "pard/back lambda=0.2", "pard/back
  /// emulated".
  std::string series_and_runtime() const;
  /// Returns "lv tweet load 1 slo 500 ms cluster.workers=64 seed 1".
  std::string workload_and_seed() const;
  /// Returns the series, the workload and the seed.
  std::string name() const { return series + " " + workload_and_seed(); }
};
/// Returns the key of a cell.
CellKey key_of(const CellIdentity& cell, double slo_ms);

/// The parameter that numbers the runs of one and the same live cell.
inline constexpr const char* kRepeatKey = "live.repeat";
/// Returns the key without the parameter of that name. If the name ends in a dot, all parameters that begin
/// with it are removed.
CellKey without(CellKey key, const std::string& parameter);

}  // namespace harness
