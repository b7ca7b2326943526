#include "harness/experiment/reading/experiment_spec.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/core/wording.h"
#include "harness/experiment/reading/config_tree.h"
#include "harness/experiment/reading/device_reader.h"
#include "harness/experiment/reading/fault_reader.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/reading/repeat_until.h"
#include "harness/experiment/reading/robustness.h"
#include "harness/experiment/reading/setting_reader.h"
#include "harness/experiment/reading/stream_reader.h"
#include "harness/experiment/reading/system_reader.h"
#include "harness/files/file_bytes.h"
#include "harness/files/table_reader.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/spec/unused_key.h"

namespace harness {
namespace {

constexpr Runtime kRuntimes[] = {Runtime::kSimulated, Runtime::kEmulated, Runtime::kGpu, Runtime::kServer};

}  // namespace

void ExperimentSpec::list(ParamList& params) {
  params.text("name", name, "a text", "what results call the experiment").by_default("the file's stem");
  params.axis<Runtime>(
      "runtime", runtimes, "simulated, emulated, gpu, server or several of them",
      "axis: where the cells run: in virtual time, in wall-clock time with emulated GPUs, with devices that "
      "run the networks, or against a running server",
      [](const ParamValue& value, const InputPlace&) -> std::optional<Runtime> {
        const auto is_it = [&](Runtime runtime) { return text_of(value) == name_of(runtime); };
        const auto* found = std::find_if(std::begin(kRuntimes), std::end(kRuntimes), is_it);
        return found == std::end(kRuntimes) ? std::nullopt : std::optional(*found);
      },
      [](Runtime runtime) { return std::string(name_of(runtime)); });
  params.number("cell_limit_s", cell_limit_s, 0, 1e9,
                "wall time after which a cell is given up and recorded as invalid; 0: none");
  params.text_axis("figures", figures, "names of results/figures/catalogue.txt",
                   "what `harness figures` draws of the results; (none): the general figures");
}

void ExperimentSpec::list_record(ParamList& params) {
  params
      .other("rows", "true, false, or the cells that do, such as [3, 17]",
             "whether the results hold a row for each request and each visit; every metric is computed "
             "either way")
      .by_default("true");
  params
      .other("states", "as rows",
             "whether the results hold a row for each state that a controller publishes (PARD: one per "
             "module and state period)")
      .by_default("false");
  params
      .other("replay", "as rows",
             "whether the results hold all that reached each queue, for `harness replay`")
      .by_default("false");
}

void SweepAxis::list(ParamList& params) {
  params
      .text("key", key, "a dotted key, such as \"planner.sizing_factor\" or \"pard.lambda\"",
            "axis over any setting but the axes of [workload]; the key of a system, trace, module or of "
            "[live] multiplies only the cells it concerns")
      .needed("a dotted key, such as planner.sizing_factor");
  params.other("values", "values that the key may have", "the axis' values, in order")
      .needed("at least one of values");
}

void NamedSetting::list(ParamList& params) {
  params.text("name", name, "a text", "what results call these values: the parameter `setting`").needed();
  params
      .other("set",
             "a table of dotted keys of cluster, serving, planner, module.NAME, trace.NAME and systems, "
             "and workload.load",
             "values that go together; what a [[system]] sets for itself stays")
      .needed("a table");
}

namespace {

/// Returns the names of the tables at the top level.
std::vector<std::string> table_names() {
  std::vector<std::string> names = {"workload", "trace",  "cluster",      "serving",     "planner",   "live",
                                    "gpu",      "server", "module",       "system",      kSettingKey, "sweep",
                                    "fault",    "record", "repeat_until", kRobustnessKey};
  for (const std::string& system : known_systems()) names.push_back(system);
  return names;
}

}  // namespace

std::vector<std::string> top_level_names() {
  ExperimentSpec spec;
  ParamList list;
  spec.list(list);
  std::vector<std::string> names = list.names();
  for (const std::string& table : table_names()) names.push_back(table);
  return names;
}

namespace {

/// Throws InputError for an unknown name at the top level; it names the table if one has such a key.
void check_tables(const TableReader& document) {
  const std::vector<std::string> known = top_level_names();
  WorkloadSpec workload;
  ParamList axes;
  workload.list(axes);
  ParamList record;
  ExperimentSpec::list_record(record);
  for (const TomlEntry& entry : document.entries()) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    std::vector<std::string> meant;
    if (axes.find(entry.key) != nullptr) meant.push_back("workload." + entry.key);
    if (record.find(entry.key) != nullptr) meant.push_back("record." + entry.key);
    for (const std::string& key : dotted_keys(entry.key)) meant.push_back(key);
    throw_if_in_table(document.place(entry.key), entry.key, meant);
  }
}

/// Reads true, false, or indices of cells, which expand() checks.
ExperimentSpec::KeptBy read_kept_by(const TableReader& record, const std::string& key,
                                    const ExperimentSpec::KeptBy& standard) {
  if (!record.has(key)) return standard;
  constexpr const char* kAllowed = "true, false, or cells as --dry-run numbers them, such as [3, 17]";
  if (std::holds_alternative<bool>(record.find(key)->data)) return {record.flag_or(key, false)};
  if (std::holds_alternative<double>(record.find(key)->data))
    throw input_error(record.place(key), "a number", kAllowed);
  ExperimentSpec::KeptBy kept;
  for (const double cell : record.number_axis(key, 0, kMaxCells - 1, kAllowed)) {
    if (cell != std::floor(cell)) throw input_error(record.place(key), text_of(cell), kAllowed);
    kept.cells.push_back(static_cast<std::uint32_t>(cell));
  }
  return kept;
}

void read_head(const TableReader& document, ExperimentSpec& spec) {
  check_tables(document);
  ParamList list;
  spec.list(list);
  document.read(list, table_names());
  if (spec.name.empty()) spec.name = stem_of(spec.file);
  if (!document.has("record")) return;
  const TableReader record = document.table("record");
  ParamList keys;
  ExperimentSpec::list_record(keys);
  record.read(keys);
  for (const std::string& key : keys.names()) {
    if (record.has(key)) spec.size_places["record." + key] = record.place(key);
  }
  spec.rows = read_kept_by(record, "rows", spec.rows);
  spec.states = read_kept_by(record, "states", spec.states);
  spec.replay = read_kept_by(record, "replay", spec.replay);
}

/// Checks that the table has at most one of loads, rates_rps and rates_rps_per_worker.
void check_rates(const TableReader& table, WorkloadSpec& workload) {
  std::string given;
  for (const char* key : {"loads", "rates_rps", "rates_rps_per_worker"}) {
    if (!table.has(key)) continue;
    if (!given.empty()) throw input_error(table.place(key), "both " + given + " and " + key, "one of them");
    given = key;
  }
  workload.rate_place = table.place(given.empty() ? "rates_rps" : given);
  workload.rates_per_worker = given == "rates_rps_per_worker";
}

/// Returns the keys of [workload] that are settings, not axes.
std::vector<std::string> request_keys() {
  Settings settings;
  ParamList list;
  settings.requests.list(list);
  return list.names();
}

void read_requests(const TableReader& table, ExperimentSpec& spec) {
  for (const std::string& name : request_keys()) {
    if (!table.has(name)) continue;
    const std::string key = std::string(kWorkload) + "." + name;
    const std::string allowed = "one value (for several, a [[sweep]] with the key " + key + ")";
    assign(spec.base, {key, table.value(name, allowed), table.place(name)});
    spec.places[key] = table.place(name);
  }
}

void read_axes(const TableReader& table, WorkloadSpec& workload) {
  ParamList list;
  workload.list(list);
  table.read(list, request_keys());
  check_rates(table, workload);
  workload.slo_place = table.place("slo_factors");
  if (table.has("slo_ms") && table.has("slo_factors"))
    throw input_error(workload.slo_place, "both slo_ms and slo_factors", "one of them");
}

/// The author of an experiment's text: a user, or the harness, which writes texts into results.
enum class Writer { kUser, kResults };

/// Reads one [trace.NAME], or a shape by its bare name.
TraceSpec read_trace(const TableReader& traces, const NamedAt& name,
                     const std::optional<Assignment>& duration, Writer writer) {
  const std::vector<std::string> shapes = trace_shape_names();
  const bool is_shape =
      name.name != "file" && std::find(shapes.begin(), shapes.end(), name.name) != shapes.end();
  Settings settings;
  TraceSpec& trace = settings.trace;
  trace.name = name.name;
  trace.place_file = name.place.file;
  trace.place_line = name.place.line;
  if (is_shape) trace.shape = name.name;
  if (duration) assign(settings, {"trace." + name.name + ".duration_s", duration->value, duration->place});
  if (traces.has(name.name)) {
    const TableReader reader = traces.table(name.name);
    const InputPlace place = traces.place(name.name);
    trace.place_file = place.file;
    trace.place_line = place.line;
    trace.streams = read_streams(reader);
    if (!trace.streams.empty()) trace.places[kStreamsKey] = reader.place(kStreamsKey);
    if (!reader.has("shape") && !trace.streams.empty())
      trace.shape = "streams";
    else if (!reader.has("shape") && reader.has("file"))
      trace.shape = "file";
    else if (!reader.has("shape") && !is_shape) {
      throw input_error(reader.place("shape"), "nothing", "one of " + join_names(shapes));
    }
    for (const Assignment& assignment : reader.assignments(reader.path(), kStreamsKey))
      assign(settings, assignment);
  }
  resolve_preset(trace);
  if (writer == Writer::kResults) drop_unused_keys(trace);
  check_trace(trace);
  return trace;
}

void check_used(const TableReader& traces, const std::vector<std::string>& used) {
  for (const TomlEntry& entry : traces.entries()) {
    if (std::find(used.begin(), used.end(), entry.key) != used.end()) continue;
    const std::string near = nearest_name(entry.key, used);
    throw input_error(
        traces.place(entry.key),
        "a trace that workload.traces does not name" + (near.empty() ? "" : ", did you mean '" + near + "'?"),
        join_names(used));
  }
}

void read_workload(const TableReader& document, ExperimentSpec& spec, Writer writer) {
  if (!document.has("workload"))
    throw input_error({spec.file, 0, "workload"}, "nothing", "a table [workload]");
  const TableReader table = document.table("workload");
  read_axes(table, spec.workload);
  read_requests(table, spec);
  std::optional<Assignment> duration;
  if (table.has("duration_s")) {
    duration = Assignment{"", table.value("duration_s", "a number"), table.place("duration_s")};
    spec.size_places["workload.duration_s"] = duration->place;
  }
  TomlValue none;
  none.data = TomlTable();
  const bool given = table.has("loads");
  const TomlValue* found = document.find("trace");
  const TableReader traces(document.file(), found == nullptr ? none : *found, "trace");
  check_used(traces, names_of(spec.workload.traces));
  std::vector<std::string> known = trace_shape_names();
  for (const TomlEntry& entry : traces.entries()) known.push_back(entry.key);
  std::erase_if(known, [](const std::string& shape) { return shape == "file" || shape == "streams"; });
  for (const NamedAt& name : spec.workload.traces) {
    if (std::find(known.begin(), known.end(), name.name) == known.end()) {
      throw_unknown(name.place, "trace", name.name, known);
    }
    spec.traces[name.name] = read_trace(traces, name, duration, writer);
    if (spec.traces[name.name].shape == "streams" && spec.workload.rates_rps.empty()) {
      throw input_error(
          spec.workload.rate_place,
          (given ? "loads" : "nothing") + (" for the streams of trace " + name.name),
          "rates_rps: loads are relative to the capacity of one pipeline, which streams to several "
          "models have not");
    }
  }
}

void read_settings(const TableReader& document, ExperimentSpec& spec) {
  for (const TomlEntry& entry : document.entries()) {
    static const std::vector<std::string> kShared = {"cluster", "serving", "planner", "live",
                                                     "gpu",     "server",  "module"};
    const bool shared = std::find(kShared.begin(), kShared.end(), entry.key) != kShared.end();
    if (!shared && known_system(entry.key) == nullptr) continue;
    const TableReader table = document.table(entry.key);
    const bool is_cluster = entry.key == "cluster";
    for (const Assignment& assignment : table.assignments(entry.key, is_cluster ? kDeviceKey : "")) {
      assign(spec.base, assignment);
      spec.places[assignment.key] = assignment.place;
    }
    if (is_cluster) spec.base.devices = read_devices(table);
  }
  if (spec.base.devices.empty()) return;
  spec.base.cluster.workers = 0;
  for (const DeviceAt& device : spec.base.devices) spec.base.cluster.workers += device.count;
}

void check_sweep(const ExperimentSpec& spec, const SweepAxis& axis, const InputPlace& key_place) {
  const std::string section = section_of(axis.key);
  const auto is_key = [&](const std::string& name) { return axis.key == section + "." + name; };
  const std::vector<std::string> settings = request_keys();
  if (section == kWorkload && std::none_of(settings.begin(), settings.end(), is_key)) {
    throw input_error(
        key_place, axis.key,
        "keys of other tables: keys of [workload] are axes already, but for " + join_names(settings));
  }
  if (section == "trace" && spec.traces.count(member_of_section(axis.key)) == 0) {
    throw input_error(key_place, axis.key,
                      "a trace of workload.traces: " + join_names(names_of(spec.workload.traces)));
  }
  const auto same = [&](const SystemSpec& system) { return is_of(section, system); };
  if (known_system(section) != nullptr && std::none_of(spec.systems.begin(), spec.systems.end(), same)) {
    std::vector<std::string> names;
    for (const SystemSpec& system : spec.systems) {
      for (const std::string& name : {system.name, system.planner}) {
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
          names.push_back(name);
      }
    }
    throw input_error(key_place, axis.key,
                      "shared settings and parameters of a system of this experiment: " + join_names(names));
  }
  const bool of_shape = section == "trace" && axis.key.ends_with(".shape");
  for (const ParamValue& value : axis.values) {
    const std::vector<std::string> presets = stream_preset_names();
    if (of_shape && std::find(presets.begin(), presets.end(), text_of(value)) != presets.end()) {
      throw input_error(axis.place, text_of(value) + ", which is several classes of streams",
                        "a single load; to compare streams, name several traces in workload.traces");
    }
    Settings scratch = spec.base;
    if (section == "trace") scratch.trace = spec.traces.at(member_of_section(axis.key));
    assign(scratch, {axis.key, value, axis.place});
  }
  for (const SystemSpec& system : spec.systems) {
    for (const Assignment& assignment : system.overrides) {
      if (assignment.key == axis.key) {
        throw input_error(key_place, axis.key + ", which system " + system.name + " sets",
                          "keys that no system sets");
      }
    }
  }
}

/// Returns the values of a [[sweep]]. Messages about values that --set gave name the key that is swept.
std::vector<ParamValue> swept_values(const TableReader& table, const std::string& key) {
  if (table.place("values").file != "--set") return table.value_axis("values");
  const std::size_t dot = key.rfind('.');
  const std::string name = dot == std::string::npos ? key : key.substr(dot + 1);
  TomlValue named;
  named.data = TomlTable{{name, *table.find("values")}};
  return TableReader(table.file(), named, dot == std::string::npos ? "" : key.substr(0, dot))
      .value_axis(name);
}

void read_sweeps(const TableReader& document, ExperimentSpec& spec) {
  for (const TableReader& table : document.tables("sweep")) {
    auto axis = table.read_as<SweepAxis>();
    axis.values = swept_values(table, axis.key);
    axis.place = table.place("values");
    axis.place.key = axis.key;
    for (const SweepAxis& other : spec.sweeps) {
      if (other.key == axis.key)
        throw input_error(table.place("key"), "two sweeps of " + axis.key, "one [[sweep]] per key");
    }
    check_sweep(spec, axis, table.place("key"));
    spec.sweeps.push_back(std::move(axis));
  }
}

/// Throws InputError for cluster.workers beside [[cluster.device]], which holds for all cells.
void check_devices(const ExperimentSpec& spec) {
  if (spec.base.devices.empty()) return;
  const auto refuse = [](const std::string& key, const InputPlace& place) {
    if (key == "cluster.workers")
      throw input_error(place, "workers beside [[cluster.device]]",
                        "one of them: the kinds of devices have counts of their own");
  };
  for (const auto& [key, place] : spec.places) refuse(key, place);
  for (const SweepAxis& axis : spec.sweeps) refuse(axis.key, axis.place);
  for (const SystemSpec& system : spec.systems) {
    for (const Assignment& assignment : system.overrides) refuse(assignment.key, assignment.place);
  }
}

/// Loads the libraries that the experiment's systems come with.
void load_libraries(const std::string& path, std::string_view text) {
  const TomlValue tree = parse_toml(path, text);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  for (const TableReader& table : TableReader(path, tree, "").tables("system")) {
    const std::string library = table.text_or(kLibraryKey, "");
    if (library.empty()) continue;
    const std::vector<SystemEntry>& systems =
        load_system_library(resolve_path(folder.empty() ? "." : folder, library), table.place(kLibraryKey))
            .systems;
    std::vector<std::string> names;
    for (const SystemEntry& entry : systems) names.emplace_back(entry.name);
    const std::string name = table.text_or("name", "");
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw_unknown(table.place("name"), "system of " + library, name, names);
  }
}

}  // namespace

std::string figure_catalogue() { return home_folder() + "/results/figures/catalogue.txt"; }

const char* name_of(Runtime runtime) {
  constexpr const char* kNames[] = {"simulated", "emulated", "gpu", "server"};
  return kNames[static_cast<int>(runtime)];
}

std::vector<std::string> names_of(const std::vector<NamedAt>& named) {
  std::vector<std::string> names;
  for (const NamedAt& one : named) names.push_back(one.name);
  return names;
}

namespace {

ExperimentSpec parse_text(const std::string& file_name, std::string_view text,
                          const std::vector<std::string>& overrides, Writer writer) {
  TomlValue tree = parse_toml(file_name, text);
  for (const std::string& override_text : overrides) apply_override(tree, override_text);
  drop_unlisted(tree);
  ExperimentSpec spec;
  spec.file = file_name;
  const std::string folder = std::filesystem::path(file_name).parent_path().string();
  spec.folder = folder.empty() ? "." : folder;
  spec.text = overrides.empty() ? std::string(text) : to_toml(tree);
  const TableReader document(file_name, tree, "");
  read_head(document, spec);
  read_settings(document, spec);
  read_workload(document, spec, writer);
  read_systems(document, spec);
  spec.base.faults = read_faults(document);
  read_sweeps(document, spec);
  read_named_settings(document, spec);
  for (const std::string& override_text : overrides)
    check_override_of_settings(spec, override_text.substr(0, override_text.find('=')));
  read_repeat_until(document, spec);
  read_robustness(document, spec);
  check_devices(spec);
  return spec;
}

}  // namespace

ExperimentSpec parse_experiment(const std::string& file_name, std::string_view text,
                                const std::vector<std::string>& overrides) {
  return parse_text(file_name, text, overrides, Writer::kUser);
}

ExperimentSpec parse_recorded_cell(const std::string& file_name, std::string_view text) {
  return parse_text(file_name, text, {}, Writer::kResults);
}

void check_figures(const ExperimentSpec& spec, const std::string& catalogue) {
  std::vector<std::string> known;
  std::istringstream lines(read_file(catalogue));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) known.push_back(line.substr(0, line.find('\t')));
  }
  for (const NamedAt& figure : spec.figures) {
    if (std::find(known.begin(), known.end(), figure.name) == known.end())
      throw_unknown(figure.place, "figure", figure.name, known);
  }
}

ExperimentSpec load_experiment(const std::string& path, const std::vector<std::string>& overrides) {
  return load_experiment(path, read_file(path), overrides);
}

ExperimentSpec load_experiment(const std::string& path, const std::string& text,
                               const std::vector<std::string>& overrides) {
  load_libraries(path, text);
  ExperimentSpec spec = parse_experiment(path, text, overrides);
  std::error_code error;
  if (!spec.figures.empty() && std::filesystem::exists(figure_catalogue(), error))
    check_figures(spec, figure_catalogue());
  return spec;
}

InputPlace place_of(const ExperimentSpec& spec, const std::string& key) {
  const auto place = spec.places.find(key);
  if (place != spec.places.end()) return place->second;
  for (const SweepAxis& axis : spec.sweeps) {
    if (axis.key == key) return axis.place;
  }
  const auto size = spec.size_places.find(key);
  if (size != spec.size_places.end()) return size->second;
  if (spec.workload.rate_place.key == key) return spec.workload.rate_place;
  return {spec.file, 0, key};
}

std::string resolve_path(const std::string& folder, const std::string& path) {
  static const std::string kData = "$HARNESS_DATA/";
  std::filesystem::path found(path);
  if (path.starts_with(kData)) {
    const char* home = std::getenv("HARNESS_DATA");
    const bool set = home != nullptr && *home != '\0';
    found = std::filesystem::path(set ? std::string(home) : home_folder() + "/../shared/data") /
            path.substr(kData.size());
  } else if (!found.is_absolute()) {
    found = folder / found;
  }
  return found.lexically_normal().string();
}

}  // namespace harness
