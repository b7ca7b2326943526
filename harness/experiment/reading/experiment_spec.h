// An experiment file, read and checked as far as its text alone allows (docs/experiment.md describes the
// format).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/experiment/reading/repeat_until.h"
#include "harness/experiment/reading/robustness.h"
#include "harness/experiment/reading/settings.h"
#include "harness/experiment/reading/system_spec.h"
#include "harness/experiment/reading/workload_spec.h"

namespace harness {

/// An experiment may have no more cells than this.
inline constexpr std::uint64_t kMaxCells = 1'000'000;

/// The runtime in which a cell runs.
enum class Runtime { kSimulated, kEmulated, kGpu, kServer };
const char* name_of(Runtime runtime);

struct SweepAxis;
struct NamedSetting;

/// The whole experiment file.
struct ExperimentSpec {
  /// The cells that keep something: none, all, or the cells with these indices.
  struct KeptBy {
    bool all = false;
    std::vector<std::uint32_t> cells = {};
    bool has(std::uint32_t cell) const {
      return all || std::find(cells.begin(), cells.end(), cell) != cells.end();
    }
  };

  std::string file;         ///< path of the file, for messages
  std::string folder;       ///< folder at which relative paths in the file start; "." if its path has none
  std::string folder_note;  ///< text for messages on what else sets `folder`; "" if it is the file's own
  std::string name;
  std::string text;                                       ///< text of the file with --set applied, as TOML
  std::vector<Runtime> runtimes = {Runtime::kSimulated};  ///< axis of runtimes
  double cell_limit_s = 0;                                ///< wall time that a cell may take; 0: any
  WorkloadSpec workload;
  std::map<std::string, TraceSpec> traces;   ///< traces by name, one per name in workload.traces
  Settings base;                             ///< settings without a trace, with the faults of [[fault]]
  std::map<std::string, InputPlace> places;  ///< places of the keys of `base` that the file sets
  /// Places of the keys of other tables that say how much a cell takes (in [record] and workload.duration_s),
  /// if the file sets them.
  std::map<std::string, InputPlace> size_places;
  std::vector<SystemSpec> systems;
  std::vector<NamedSetting> settings;
  std::vector<SweepAxis> sweeps;  ///< axes; the axis of `settings`, if there are any, comes first
  std::optional<RepeatUntil> repeat;
  Robustness robustness;
  std::vector<NamedAt> figures;  ///< names of what `harness figures` draws; no cell depends on them
  KeptBy rows = {true};
  KeptBy states;
  KeptBy replay;

  void list(ParamList& params);                ///< lists the keys of the top level
  static void list_record(ParamList& params);  ///< lists the keys of [record]
};

/// [[sweep]]: an axis. It multiplies only the cells that its key concerns: the cells of one system, of one
/// trace, of one runtime, of the pipelines that have the module or task trees, or all cells.
struct SweepAxis {
  std::string key;
  std::vector<ParamValue> values;
  InputPlace place;

  void list(ParamList& params);
};

/// The name of the [[setting]] tables, and the key of their axis among the sweeps.
inline constexpr const char* kSettingKey = "setting";

/// [[setting]]: values that go together under a name. All settings together make the axis `setting`.
struct NamedSetting {
  std::string name;
  std::vector<Assignment> values;
  std::optional<double> load;  ///< load that replaces workload.loads
  InputPlace place;

  void list(ParamList& params);
};

std::vector<std::string> names_of(const std::vector<NamedAt>& named);

/// Returns the names of all tables and keys that the top level of an experiment file may have.
std::vector<std::string> top_level_names();

/// Returns the path of the file that names the figures: a line for each, with a tab before its description.
std::string figure_catalogue();

/// Reads an experiment from memory: it touches no file and loads no library. `overrides` are "KEY=VALUE"
/// (--set). Throws InputError.
ExperimentSpec parse_experiment(const std::string& file_name, std::string_view text,
                                const std::vector<std::string>& overrides);

/// Reads the effective settings of a cell of a results file. Results of older versions list keys of the trace
/// that have no effect, which a user's file may not. Throws InputError.
ExperimentSpec parse_recorded_cell(const std::string& file_name, std::string_view text);

/// Reads an experiment's file, loads the libraries of its systems, and checks the names of its figures if
/// their catalogue is there. Throws InputError.
ExperimentSpec load_experiment(const std::string& path, const std::vector<std::string>& overrides);
/// Does the same with `text` as the contents of that file.
ExperimentSpec load_experiment(const std::string& path, const std::string& text,
                               const std::vector<std::string>& overrides);

/// Throws InputError unless every name in `figures` begins a line of the file `catalogue` (name, tab,
/// description).
void check_figures(const ExperimentSpec& spec, const std::string& catalogue);

/// Returns the place where the file sets or sweeps the key; it has no line if the file does neither.
InputPlace place_of(const ExperimentSpec& spec, const std::string& key);

/// Returns a path of an experiment file as the program opens it: absolute paths as they are,
/// "$HARNESS_DATA/..." below that variable (by default ../shared/data beside the repository), other paths
/// from `folder`. The result has no "a/.." or "./".
std::string resolve_path(const std::string& folder, const std::string& path);

}  // namespace harness
