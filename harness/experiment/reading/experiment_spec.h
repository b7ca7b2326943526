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

#include "harness/experiment/reading/settings.h"

namespace harness {

/// No experiment may have more cells.
inline constexpr std::uint64_t kMaxCells = 1'000'000;

/// 2^53: a number of an experiment file holds no larger integer exactly.
inline constexpr std::uint64_t kLargestSeed = 9'007'199'254'740'992;

/// Where a cell runs.
enum class Runtime { kSimulated, kEmulated, kGpu };
const char* name_of(Runtime runtime);

/// [[system]]: a system under a name of its own in the results.
struct SystemSpec {
  std::string name;
  std::string library;                 ///< the shared library that it comes with, as written; "": none
  std::string variant;                 ///< "default" when nothing is overridden
  std::string planner;                 ///< the system by whose plans it serves; "": its own
  std::vector<Assignment> overrides;   ///< of its own and its planner's parameters and of shared settings
  std::vector<std::string> pipelines;  ///< `only`: it makes cells on these; empty: on all
  std::vector<std::string> traces;     ///< the same
  std::vector<NamedAt> settings;       ///< the same, of [[setting]]
  InputPlace place;                    ///< of its name
};

/// Whether the entry makes cells on that pipeline and trace of the experiment.
bool makes_cells(const SystemSpec& system, const std::string& pipeline, const std::string& trace);

/// Returns true if the system makes cells in the setting of that name.
bool makes_cells_in(const SystemSpec& system, const std::string& setting);

/// Whether the section holds parameters of the entry: its system's, or its planner's.
inline bool is_of(const std::string& section, const SystemSpec& system) {
  return section == system.name || section == system.planner;
}

/// [[sweep]]: an axis. It multiplies the cells that its key concerns: those of one system, of one trace, of
/// one runtime, of the pipelines that have the module, or all.
struct SweepAxis {
  std::string key;
  std::vector<ParamValue> values;
  InputPlace place;
};

/// The key of [[setting]], and of its axis among the sweeps.
inline constexpr const char* kSettingKey = "setting";

/// [[setting]]: values that go together under a name; all of them make the axis `setting`.
struct NamedSetting {
  std::string name;
  std::vector<Assignment> values;
  std::optional<double> load;  ///< in place of workload.loads
  InputPlace place;
};

std::vector<std::string> names_of(const std::vector<NamedAt>& named);

/// [workload]: the axes of what is offered.
struct WorkloadSpec {
  std::vector<NamedAt> pipelines;
  std::vector<NamedAt> traces;
  InputPlace rate_place;              ///< of the rates, or where they are missing
  std::vector<double> loads = {1.0};  ///< relative to the capacity of the initial plan
  std::vector<double> rates_rps;      ///< when not empty, instead of loads; 0: recorded traces as they are,
                                      ///< streams at their own rates
  bool rates_per_worker = false;      ///< rates_rps are of each worker of the cluster
  std::vector<std::uint64_t> seeds = {1};
  std::vector<std::uint64_t> added_seeds;  ///< that [repeat_until] may add, in order
  std::vector<double> slo_ms;              ///< empty: each pipeline's own
  std::vector<double> slo_factors;  ///< when not empty, instead of slo_ms: of the shortest service time
  InputPlace slo_place;             ///< of those
};

/// [repeat_until]: when there are seeds enough.
struct RepeatUntil {
  std::string metric;     ///< a column of /summary
  double half_width = 0;  ///< of the 95 % confidence interval, in every workload and series
  std::string baseline;   ///< a series ("pard", "pard/back") to take differences to; empty: the metric itself
  std::size_t max_seeds = 20;
};

/// [robustness]: what `harness robust` runs the experiment under besides its own setting. Runs ignore it.
struct Robustness {
  std::vector<Assignment> over;  ///< a step each, by key
  bool standard = true;          ///< whether it takes its standard steps too
  std::string metric = "goodput_rps";
  double margin = 0.01;  ///< a difference within this share of the larger mean is a tie
  int seeds = 5;         ///< of an experiment with fewer
  int cells = 1000;      ///< the budget
};

/// The cells that keep something: none, all, or those with these indices.
struct KeptBy {
  bool all = false;
  std::vector<std::uint32_t> cells = {};
  bool has(std::uint32_t cell) const {
    return all || std::find(cells.begin(), cells.end(), cell) != cells.end();
  }
};

/// The whole file.
struct ExperimentSpec {
  std::string file;         ///< for messages
  std::string folder;       ///< relative paths in the file start here; "." when it has none
  std::string folder_note;  ///< for messages: what else sets `folder`; "" where it is the file's own
  std::string name;
  std::string text;                                       ///< the file with --set applied, as TOML
  std::vector<Runtime> runtimes = {Runtime::kSimulated};  ///< axis
  double cell_limit_s = 0;                                ///< wall time that a cell may take; 0: any
  WorkloadSpec workload;
  std::map<std::string, TraceSpec> traces;   ///< one per name in workload.traces
  Settings base;                             ///< without a trace, with the faults of [[fault]]
  std::map<std::string, InputPlace> places;  ///< of every key of `base` that the file sets
  /// Of those keys of other tables that say how much a cell takes, where the file sets them.
  std::map<std::string, InputPlace> size_places;
  std::vector<SystemSpec> systems;
  std::vector<NamedSetting> settings;
  std::vector<SweepAxis> sweeps;  ///< where there are settings, theirs first
  std::optional<RepeatUntil> repeat;
  Robustness robustness;
  std::vector<NamedAt> figures;  ///< what `harness figures` draws of the results; no part of any cell
  KeptBy rows = {true};
  KeptBy states;
  KeptBy replay;
};

/// The file that names the figures: a line each, a tab before what it shows.
std::string figure_catalogue();

/// Reads an experiment from memory: no file is touched, and no library loaded. `overrides` are "KEY=VALUE"
/// (--set). Throws InputError.
ExperimentSpec parse_experiment(const std::string& file_name, std::string_view text,
                                const std::vector<std::string>& overrides);

/// Reads the effective settings of a cell of a results file. Those of older versions list keys of the trace
/// that have no effect; a file of the user's may not. Throws InputError.
ExperimentSpec parse_recorded_cell(const std::string& file_name, std::string_view text);

/// Reads an experiment's file, loads the libraries of its systems, and checks the names of its figures if
/// their catalogue is there. Throws InputError.
ExperimentSpec load_experiment(const std::string& path, const std::vector<std::string>& overrides);
/// The same of a text, as if it stood in that file.
ExperimentSpec load_experiment(const std::string& path, const std::string& text,
                               const std::vector<std::string>& overrides);

/// Throws InputError unless every name in `figures` begins a line of the file `catalogue` (name, tab, what it
/// is).
void check_figures(const ExperimentSpec& spec, const std::string& catalogue);

/// Where the file sets or sweeps the key; without a line where it does neither.
InputPlace place_of(const ExperimentSpec& spec, const std::string& key);

/// A path of an experiment file as the program opens it: absolute ones as they are, "$HARNESS_DATA/..." below
/// that variable (by default ../shared/data beside the repository), others from `folder`. Without "a/.." and
/// "./".
std::string resolve_path(const std::string& folder, const std::string& path);

/// The keys of the tables whose fields are no parameters, for checks and documentation.
struct PlainKey {
  const char* table;  ///< "" for the top level
  const char* name;
  const char* standard;  ///< the default
  const char* allowed;
  const char* doc;
};
const std::vector<PlainKey>& plain_keys();
/// The names of those of one table.
std::vector<std::string> plain_keys_of(const std::string& table);

}  // namespace harness
