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
#include "harness/experiment/reading/plain_keys.h"
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

constexpr Runtime kRuntimes[] = {Runtime::kSimulated, Runtime::kEmulated, Runtime::kGpu};
constexpr double kLargestLimit = 1e9;

}  // namespace

std::vector<std::string> top_level_names() {
  std::vector<std::string> names = plain_keys_of("");
  for (const char* table :
       {"workload", "trace", "cluster", "serving", "planner", "live", "gpu", "module", "system", kSettingKey,
        "sweep", "fault", "record", "repeat_until", "robustness"}) {
    names.push_back(table);
  }
  for (const std::string& system : known_systems()) names.push_back(system);
  return names;
}

namespace {

/// Throws InputError for an unknown name at the top level; it names the table if one has such a key.
void check_tables(const TableReader& document) {
  const std::vector<std::string> known = top_level_names();
  for (const TomlEntry& entry : document.entries()) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    std::vector<std::string> meant;
    for (const PlainKey& key : plain_keys()) {
      const std::string table = key.table;
      if (entry.key == key.name && (table == "workload" || table == "record"))
        meant.push_back(table + "." + key.name);
    }
    for (const std::string& key : dotted_keys(entry.key)) meant.push_back(key);
    throw_if_in_table(document.place(entry.key), entry.key, meant);
  }
  document.require_known(known);
}

void read_runtimes(const TableReader& document, ExperimentSpec& spec) {
  const std::vector<NamedAt> named = document.text_axis("runtime");
  if (!named.empty()) spec.runtimes.clear();
  for (const NamedAt& name : named) {
    const auto is_it = [&](Runtime runtime) { return name.name == name_of(runtime); };
    const auto* found = std::find_if(std::begin(kRuntimes), std::end(kRuntimes), is_it);
    if (found == std::end(kRuntimes)) {
      throw input_error(name.place, "\"" + name.name + "\"", "simulated, emulated, gpu or several of them");
    }
    spec.runtimes.push_back(*found);
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
  spec.name = document.text_or("name", stem_of(spec.file));
  read_runtimes(document, spec);
  spec.cell_limit_s = document.number_or("cell_limit_s", 0, kLargestLimit, spec.cell_limit_s);
  if (document.has("record")) {
    const TableReader record = document.table("record");
    record.require_known(plain_keys_of("record"));
    for (const char* key : {"rows", "states", "replay"}) {
      if (record.has(key)) spec.size_places[std::string("record.") + key] = record.place(key);
    }
    spec.rows = read_kept_by(record, "rows", spec.rows);
    spec.states = read_kept_by(record, "states", spec.states);
    spec.replay = read_kept_by(record, "replay", spec.replay);
  }
  spec.figures = document.text_axis("figures");
}

/// Reads the one of loads, rates_rps and rates_rps_per_worker that the table has.
void read_rates(const TableReader& table, WorkloadSpec& workload) {
  std::string given;
  for (const char* key : {"loads", "rates_rps", "rates_rps_per_worker"}) {
    if (!table.has(key)) continue;
    if (!given.empty()) throw input_error(table.place(key), "both " + given + " and " + key, "one of them");
    given = key;
  }
  workload.rate_place = table.place(given.empty() ? "rates_rps" : given);
  workload.rates_per_worker = given == "rates_rps_per_worker";
  if (given == "loads") {
    workload.loads = table.number_axis("loads", 1e-6, 1e3, "numbers from 1e-06 to 1000");
  } else if (workload.rates_per_worker) {
    workload.rates_rps = table.number_axis(given, 1e-6, 1e6, "numbers from 1e-06 to 1e+06");
  } else {
    workload.rates_rps = table.number_axis("rates_rps", 0, 1e9, "numbers from 0 to 1e+09");
  }
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
  std::vector<std::string> known = plain_keys_of(kWorkload);
  for (const std::string& key : request_keys()) known.push_back(key);
  table.require_known(known);
  workload.pipelines = table.text_axis("pipelines");
  workload.traces = table.text_axis("traces");
  for (const char* key : {"pipelines", "traces"}) {
    if (!table.has(key))
      throw input_error(table.place(key), "nothing", "at least one of " + std::string(key));
  }
  read_rates(table, workload);
  workload.slo_ms = table.number_axis("slo_ms", 1e-3, 1e7, "numbers from 0.001 to 1e+07");
  workload.slo_factors = table.number_axis("slo_factors", 1, 1e6, "numbers from 1 to 1e+06");
  workload.slo_place = table.place("slo_factors");
  if (table.has("slo_ms") && table.has("slo_factors"))
    throw input_error(workload.slo_place, "both slo_ms and slo_factors", "one of them");
  const std::string seeds_allowed = "integers from 0 to 2^53";
  const std::vector<double> seeds =
      table.number_axis("seeds", 0, static_cast<double>(kLargestSeed), seeds_allowed);
  if (!seeds.empty()) workload.seeds.clear();
  for (const double seed : seeds) {
    const auto integer = static_cast<std::uint64_t>(seed);
    if (static_cast<double>(integer) != seed)
      throw input_error(table.place("seeds"), text_of(seed), seeds_allowed);
    workload.seeds.push_back(integer);
  }
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
    static const std::vector<std::string> kShared = {"cluster", "serving", "planner",
                                                     "live",    "gpu",     "module"};
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
  const TomlValue* values = table.find("values");
  if (values == nullptr || table.place("values").file != "--set") return table.value_axis("values");
  const std::size_t dot = key.rfind('.');
  const std::string name = dot == std::string::npos ? key : key.substr(dot + 1);
  TomlValue named;
  named.data = TomlTable{{name, *values}};
  return TableReader(table.file(), named, dot == std::string::npos ? "" : key.substr(0, dot))
      .value_axis(name);
}

void read_sweeps(const TableReader& document, ExperimentSpec& spec) {
  for (const TableReader& table : document.tables("sweep")) {
    table.require_known(plain_keys_of("sweep"));
    SweepAxis axis;
    axis.key = table.text_or("key", "");
    if (axis.key.empty())
      throw input_error(table.place("key"), "nothing", "a dotted key, such as planner.sizing_factor");
    axis.values = swept_values(table, axis.key);
    axis.place = table.place("values");
    axis.place.key = axis.key;
    if (axis.values.empty()) throw input_error(axis.place, "no values", "at least one of values");
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
  constexpr const char* kNames[] = {"simulated", "emulated", "gpu"};
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
