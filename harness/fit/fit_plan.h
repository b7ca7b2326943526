// The file of a fit: what a paper leaves open as knobs, the experiments that decide its claims, and how the
// settings are searched (docs/fit.md describes the format).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/params.h"

namespace harness {

/// One value of a knob: its name, and what it sets in the experiments.
struct KnobValue {
  std::string name;
  std::vector<std::pair<std::string, ParamValue>> set;  ///< dotted keys; "trace.*.KEY": of every trace
  std::map<std::string, std::string> rename;            ///< results of the one name count as the other's
};

/// Something that the paper leaves open.
struct Knob {
  std::string name;
  std::string text;  ///< what the paper says of it
  std::vector<KnobValue> values;
  std::size_t standard = 0;                 ///< the value that the project's experiments have
  bool is_scale = false;                    ///< the values are numbers in rising order
  std::map<std::string, std::string> when;  ///< other knobs' values with which it has an effect
  InputPlace place;
};

/// An experiment that every setting runs, where `when` holds.
struct FitBase {
  std::string file;                  ///< as the program opens it
  std::string as;                    ///< the name by which claims know its results
  std::vector<std::string> systems;  ///< the series that it runs; empty: all
  std::vector<std::string> set;      ///< KEY=VALUE, as --set has them, in the search
  std::vector<std::string> confirm;  ///< the same, in the confirmation
  std::vector<std::string> keeps;    ///< keys that no knob changes in it
  std::map<std::string, std::string> when;
  bool in_search = true;   ///< whether the search runs it,
  bool in_confirm = true;  ///< and the confirmation
  /// Not empty: of each workload only the cells with the least mean of this metric count, under the name of
  /// the series `best_as`: what the paper tuned is tuned for every setting.
  std::string best_metric;
  std::string best_as;
  InputPlace place;
};

/// A range that the paper's abstract gives: the claims that have it as `expect`, of which one is judged.
struct Headline {
  std::string name;
  std::vector<std::string> claims;
  InputPlace place;
};

/// The whole file.
struct FitPlan {
  std::string file;
  std::string text;
  std::string name;
  std::string claims_file;
  InputPlace claims_file_place;
  std::vector<std::string> claims;  ///< patterns of the ids that score
  InputPlace claims_place;
  std::uint64_t seed = 1;   ///< of the design and of the moves
  bool only_steps = false;  ///< no search: the standard point and every step from it along one knob
  std::size_t points = 0;   ///< of the space-filling design, the standard point first
  std::size_t best = 1;     ///< from so many points the descent starts
  std::size_t moves = 0;    ///< points of the descent
  std::size_t round = 1;    ///< of which so many at a time
  std::vector<std::string> search_set;  ///< KEY=VALUE in every experiment of the search
  bool confirms = false;
  std::vector<std::string> confirm_set;  ///< KEY=VALUE in those of the confirmation
  std::vector<Knob> knobs;
  std::vector<FitBase> bases;
  std::vector<Headline> headlines;
};

/// Reads it; relative paths start at the file's folder. Throws InputError.
FitPlan parse_fit(const std::string& file, std::string_view text);

/// One setting: a value of each knob, by index.
using FitPoint = std::vector<std::size_t>;

/// The point of the project's own settings.
FitPoint standard_point(const FitPlan& plan);
/// Whether the point has all those values.
bool holds(const FitPlan& plan, const std::map<std::string, std::string>& when, const FitPoint& point);
/// Whether the knob has an effect at the point.
bool is_active(const FitPlan& plan, std::size_t knob, const FitPoint& point);

}  // namespace harness
