// The identity of a cell.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace harness {

/// The identity of a cell: the columns that name it, and everything on which its results depend.
struct CellIdentity {
  std::uint32_t index = 0;  ///< index in the experiment, from 0
  std::string system;
  std::string variant;  ///< name of the parameter setting; "default" when nothing is overridden
  std::string pipeline;
  std::string trace;
  /// Target rate / capacity of the reference plan, which follows from the shared settings alone; kNoValue
  /// without such a plan.
  double load = 0;
  std::uint64_t seed = 0;
  std::string runtime = "simulated";
  std::string answers;         ///< "whole" or "partial" if the pipeline is a task tree, else ""
  std::string parameters;      ///< swept and overridden parameters, "key=value key=value"
  std::string series;          ///< "pard/back lambda=0.2" (series.h)
  std::string workload;        ///< "lv tweet load 1.2 slo 500 ms cluster.workers=64" (series.h)
  std::string effective_toml;  ///< the cell's whole effective settings, one canonical text
  /// Hash of effective_toml, the checksums of trace and profiles, and the build: 16 hex digits.
  std::string input_hash;
};

/// Returns the pairs of key and value in `parameters`, one for each key. If a key occurs several times the
/// last value counts: sweeps come after the system's own settings and override them. A word without '='
/// belongs to the value before it. Old names are replaced by today's.
std::vector<std::pair<std::string, std::string>> parameters_of(const CellIdentity& cell);

}  // namespace harness
