// The results of `harness fit` as an HDF5 file (docs/fit.md describes it).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// One setting that was tried.
struct FitPointRow {
  std::uint32_t point = 0;
  std::string stage;  ///< "design", "descent", "confirm": the same point again, on other workloads and seeds
  std::uint32_t judged = 0;      ///< claims that it decides
  std::uint32_t reproduced = 0;  ///< by the means over the seeds, as `partly`
  std::uint32_t partly = 0;
  std::uint32_t noisy = 0;  ///< claims of which the seeds of a group disagree
  double held = 0;          ///< the sum of the claims' scores
  double distance = 0;      ///< of the headlines from the paper's ranges, in natural logarithms
  double objective = 0;     ///< held - distance

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
  bool active = true;    ///< it has an effect there
  bool standard = true;  ///< the value that the project's experiments have

  static void list(auto& row, auto&& column) {
    column("point", row.point);
    column("knob", row.knob);
    column("value", row.value);
    column("active", row.active);
    column("standard", row.standard);
  }
};

/// One claim at one point.
struct FitVerdictRow {
  std::uint32_t point = 0;
  std::string stage;
  std::string claim;  ///< the id; of several that are one, the first
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

struct FitTables {
  std::string plan;  ///< the text of the file of the fit
  std::vector<FitPointRow> points;
  std::vector<FitSettingRow> settings;
  std::vector<FitVerdictRow> verdicts;
};

/// Throws InputError where there is another file than such results.
void check_replaceable_by_fit(const std::string& path);

/// Writes the file; it appears under its name only when it is complete. Throws EnvironmentError naming the
/// path, and as check_replaceable_by_fit().
void write_fit(const std::string& path, const FitTables& tables);

/// Whether the file holds such results; false for a file that is not there or another's.
bool is_fit(const std::string& path);

}  // namespace harness
