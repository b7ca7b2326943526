// The file of a fit: what a paper leaves open as knobs, the experiments that decide its claims, and how the
// settings are searched (docs/fit.md describes the format).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/param_list.h"

namespace harness {

struct Knob;
struct FitBase;
struct FitWorld;
struct Headline;

/// Says what a world is for: the space-filling design, the best of its points and the steps from
/// them, or the judgement of the best points on what the search has not seen.
enum class FitPurpose : std::uint8_t { kDesign, kRefine, kConfirm };
constexpr std::size_t kFitPurposes = 3;

/// The whole file of a fit.
struct FitPlan {
  std::string file;
  std::string text;
  std::string name;
  std::string claims_file;
  InputPlace claims_file_place;
  std::vector<std::string> claims;  ///< patterns of the ids of the claims that score
  InputPlace claims_place;
  std::uint64_t seed = 1;     ///< seed of the design and of the moves
  bool only_steps = false;    ///< true: only the standard point and each step from it along one knob
  std::size_t points = 0;     ///< number of points of the space-filling design, with the standard point first
  std::size_t best = 1;       ///< number of points that are refined, and from which the descent starts
  std::size_t moves = 0;      ///< number of points of the descent
  std::size_t round = 1;      ///< number of these points that are tried at a time
  std::size_t confirmed = 1;  ///< number of the best points that are confirmed beside the standard point
  /// The design's first; then, if the file has it, the one that refines; then those that confirm.
  std::vector<FitWorld> worlds;
  std::vector<Knob> knobs;
  std::vector<FitBase> bases;
  std::vector<Headline> headlines;
};

/// One value of a knob: its name, and what it sets in the experiments.
struct KnobValue {
  std::string name;
  std::vector<std::pair<std::string, ParamValue>> set;  ///< dotted key, value; "trace.*.KEY": in every trace
};

/// Something that the paper leaves open.
struct Knob {
  std::string name;
  std::string text;  ///< text on what the paper says of it
  std::vector<KnobValue> values;
  std::size_t standard = 0;                 ///< index of the file's default
  bool is_scale = false;                    ///< true: the values are numbers in rising order
  std::map<std::string, std::string> when;  ///< values of other knobs with which it has an effect
  InputPlace place;
};

/// The seeds, traces and pipelines on which points are tried.
struct FitWorld {
  FitPurpose purpose = FitPurpose::kDesign;
  std::string name;              ///< name of its rows: design, refine, or "confirm" and the name in the file
  std::vector<std::string> set;  ///< KEY=VALUE as in --set, for every experiment
  InputPlace place;
};

/// An experiment that every setting runs if `when` holds.
struct FitBase {
  std::string file;                  ///< path as the program opens it
  std::string as;                    ///< name by which claims know its results
  std::vector<std::string> systems;  ///< series that it runs; empty: all
  /// KEY=VALUE as in --set, by purpose; as for the purpose before unless the file says.
  std::array<std::vector<std::string>, kFitPurposes> set;
  std::array<bool, kFitPurposes> runs{true, true, true};  ///< true: the worlds of that purpose run it
  std::vector<std::string> keeps;                         ///< keys that no knob changes in it
  std::map<std::string, std::string> when;
  /// The metric by which cells are chosen; empty: all cells count. In each trace only the cells whose
  /// parameters have the least mean of it count, as series `best_as`: what the paper tuned is tuned for every
  /// setting.
  std::string best_metric;
  std::string best_as;
  InputPlace place;
};

/// A range that the paper's abstract gives: the claim that has it as `expect`.
struct Headline {
  std::string name;
  std::string claim;
  InputPlace place;
};

/// Reads the file; relative paths start at its folder. Throws InputError.
FitPlan parse_fit(const std::string& file, std::string_view text);

/// One setting: a value of each knob, by index.
using FitPoint = std::vector<std::size_t>;

/// A point and its number among all points of the fit.
struct NumberedPoint {
  std::size_t number = 0;
  FitPoint point;
};

/// Returns the index of the world in which the search ends: the one that refines, else the design's.
std::size_t last_of_search(const FitPlan& plan);
/// Returns the point of the file's defaults.
FitPoint standard_point(const FitPlan& plan);
/// Returns true if the point has all the values in `when`.
bool holds(const FitPlan& plan, const std::map<std::string, std::string>& when, const FitPoint& point);
/// Returns true if the knob has an effect at the point.
bool is_active(const FitPlan& plan, std::size_t knob, const FitPoint& point);

}  // namespace harness
