// The results of `harness fit` as an HDF5 file (docs/fit.md describes it).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace harness {

struct FitPointRow;
struct FitSettingRow;
struct FitVerdictRow;

/// All tables of a fit.
struct FitTables {
  std::string plan;  ///< text of the fit's file
  std::vector<FitPointRow> points;
  std::vector<FitSettingRow> settings;
  std::vector<FitVerdictRow> verdicts;
};

/// One point of a fit: a combination of settings that was tried.
struct FitPointRow {
  std::uint32_t point = 0;
  /// Says where the point was tried: design; refine, the best of the design on more workloads and seeds;
  /// descent, a step from one of the best; "confirm-NAME", what the search has not seen.
  std::string stage;
  std::uint32_t judged = 0;      ///< number of claims that the point decides
  std::uint32_t reproduced = 0;  ///< number of claims reproduced, by the means over the seeds
  std::uint32_t partly = 0;      ///< number of claims partly reproduced, by the means over the seeds
  std::uint32_t noisy = 0;       ///< number of claims for which the seeds of a group disagree
  double held = 0;               ///< sum of the claims' scores
  double distance = 0;           ///< distance of the headlines from the paper's ranges, in natural logarithms
  double objective = 0;          ///< held - distance

  static void list(auto& row, auto&& column) {
    column("point", row.point);
    column("stage", row.stage);
    column("judged", row.judged);
    column("reproduced", row.reproduced);
    column("partly", row.partly);
    column("noisy", row.noisy);
    column("held", row.held);
    column("distance", row.distance);
    column("objective", row.objective);
  }
};

/// The value of one knob at one point.
struct FitSettingRow {
  std::uint32_t point = 0;
  std::string knob;
  std::string value;
  bool active = true;    ///< true if the knob has an effect at this point
  bool standard = true;  ///< true if the project's experiments have this value

  static void list(auto& row, auto&& column) {
    column("point", row.point);
    column("knob", row.knob);
    column("value", row.value);
    column("active", row.active);
    column("standard", row.standard);
  }
};

/// The verdict on one claim at one point.
struct FitVerdictRow {
  std::uint32_t point = 0;
  std::string stage;
  std::string claim;  ///< id of the claim; of several that count as one, the first id
  std::string verdict;
  bool noisy = false;
  double value = 0;
  double score = 0;

  static void list(auto& row, auto&& column) {
    column("point", row.point);
    column("stage", row.stage);
    column("claim", row.claim);
    column("verdict", row.verdict);
    column("noisy", row.noisy);
    column("value", row.value);
    column("score", row.score);
  }
};

/// Throws InputError if the path has a file that is no such result.
void check_replaceable_by_fit(const std::string& path);

/// Writes the file; it appears under its name only when it is complete. Throws EnvironmentError naming the
/// path, and InputError like check_replaceable_by_fit().
void write_fit(const std::string& path, const FitTables& tables);

/// True if the file holds such results; false if it does not exist or is of another kind.
bool is_fit(const std::string& path);

}  // namespace harness
