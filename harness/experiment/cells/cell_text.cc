#include "harness/experiment/cells/cell_text.h"

#include <algorithm>
#include <sstream>

#include "harness/experiment/reading/device_reader.h"
#include "harness/experiment/reading/fault_reader.h"
#include "harness/experiment/reading/stream_reader.h"
#include "harness/experiment/reading/system_reader.h"
#include "harness/files/sha256.h"
#include "workloads/spec/unused_key.h"

namespace harness {
namespace {

std::string lines(const std::vector<Param>& params) {
  std::string text;
  for (const Param& param : params) text += param.name + " = " + toml_text(param.get()) + "\n";
  return text;
}

std::string table(const std::string& heading, const std::vector<Param>& params) {
  return "\n[" + heading + "]\n" + lines(params);
}

/// Returns [cluster] with its kinds of devices, and without `workers` if it has kinds. Keys of servers that
/// are absent stay absent.
std::string cluster_table(std::vector<Param> params, const std::vector<DeviceAt>& devices) {
  std::erase_if(params, [](const Param& param) { return !param.set(param.get()); });
  if (!devices.empty()) std::erase_if(params, [](const Param& param) { return param.name == "workers"; });
  return table("cluster", params) + device_tables(devices);
}

std::string module_tables(Settings& settings, const std::vector<std::string>& modules) {
  std::string text;
  for (const std::string& name : modules) {
    const auto found = settings.modules.find(name);
    if (found != settings.modules.end())
      text += table("module." + toml_key(name), module_params(found->second));
  }
  return text;
}

std::string params_table(const std::string& name, const Settings& settings) {
  const std::unique_ptr<System> system = make_one_system(name, settings);
  std::string params;
  for (const Param& param : system_params(*system)) {
    params += (params.empty() ? " " : ", ") + param.name + " = " + toml_text(param.get());
  }
  return "{" + params + (params.empty() ? "}\n" : " }\n");
}

std::string system_table(const Settings& settings, const SystemSpec& system) {
  std::string text = "\n[[system]]\nname = " + toml_text(system.name) + "\n";
  if (!system.library.empty()) text += std::string(kLibraryKey) + " = " + toml_text(system.library) + "\n";
  text += "variant = " + toml_text(system.variant) + "\n";
  text += "params = " + params_table(system.name, settings);
  if (settings.planner_system.empty()) return text;
  text += std::string(kPlannerKey) + " = " + toml_text(settings.planner_system) + "\n";
  return text + kPlannerParamsKey + " = " + params_table(settings.planner_system, settings);
}

/// Returns the lines of [workload] beside its axes; a warm-up only if there is one.
std::string request_lines(std::vector<Param> params, const RequestParams& requests, bool has_tasks) {
  std::erase_if(params, [&](const Param& param) {
    return RequestParams::is_of_trees(param.name) ? !has_tasks : requests.measure_from_s == 0;
  });
  return lines(params);
}

}  // namespace

CellTextTemplate cell_frame(const ExperimentSpec& spec, const Cell& cell, const Settings& settings,
                            const Pipeline& pipeline) {
  Settings copy = settings;
  CellTextTemplate frame;
  std::string& text = frame.before;
  text = std::string("runtime = \"") + name_of(cell.runtime) + "\"\n";
  if (spec.cell_limit_s > 0) text += "cell_limit_s = " + text_of(spec.cell_limit_s) + "\n";
  std::string requests;
  for (const Section& section : fixed_sections(copy)) {
    const bool counts = section.name == "gpu"      ? cell.runtime == Runtime::kGpu
                        : section.name == "server" ? cell.runtime == Runtime::kServer
                        : section.name == "live"   ? cell.runtime != Runtime::kSimulated
                                                   : true;
    if (section.name == kWorkload)
      requests = request_lines(section.params, settings.requests, pipeline.has_tasks());
    else if (section.name == "cluster")
      text += cluster_table(section.params, settings.devices);
    else if (counts)
      text += table(section.name, section.params);
  }
  text += module_tables(copy, module_names(pipeline)) + trace_text(settings);
  text += "\n[workload]\npipelines = [" + toml_text(spec.workload.pipelines[cell.pipeline].name) + "]\n";
  text += "traces = [" + toml_text(settings.trace.name) + "]\n";
  frame.between = requests;
  frame.after =
      fault_tables(faults_that_happen(settings.faults)) + system_table(settings, spec.systems[cell.system]);
  return frame;
}

std::string cell_text(const CellTextTemplate& frame, const ExperimentSpec& spec, const Cell& cell,
                      const std::string& rate, double slo_ms) {
  std::string kept = std::string("\n[record]\nrows = ") + (spec.rows.has(cell.index) ? "true\n" : "false\n");
  kept += std::string("states = ") + (spec.states.has(cell.index) ? "true\n" : "false\n");
  if (spec.replay.has(cell.index)) kept += "replay = true\n";
  return frame.before + rate + "\nseeds = [" + std::to_string(cell.seed) + "]\nslo_ms = [" + text_of(slo_ms) +
         "]\n" + frame.between + kept + frame.after;
}

std::vector<std::string> module_names(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const Module& module : pipeline.modules) names.push_back(module.name);
  return names;
}

std::string planning_text(const Settings& settings, const std::vector<std::string>& modules) {
  Settings copy = settings;
  std::string text;
  for (const Section& section : fixed_sections(copy)) {
    if (section.name == "cluster")
      text += cluster_table(section.params, settings.devices);
    else if (section.name == "planner" || section.name == kWorkload)
      text += table(section.name, section.params);
  }
  return text + module_tables(copy, modules);
}

std::string trace_text(const Settings& settings) {
  TraceSpec copy = settings.trace;
  std::vector<Param> params = trace_params(copy);
  std::erase_if(params, [&copy](const Param& param) {
    const bool is_doubled = param.name == (copy.scv > 0 ? "cv" : "scv");  // the other one says the same
    // A file that is shorter lasts as long as it was asked to, not as long as the default.
    const bool is_default = param.name == "duration_s" && copy.shape == "file" && !asks_for_duration(copy);
    return is_doubled || is_default || unused_key(copy, param.name).has_value();
  });
  return table("trace." + toml_key(copy.name), params) + stream_tables(copy.name, copy.streams);
}

std::string first_difference(const std::string& before, const std::string& now) {
  std::istringstream old_lines(before);
  std::istringstream new_lines(now);
  std::string old_line;
  std::string new_line;
  for (;;) {
    const bool more_old = static_cast<bool>(std::getline(old_lines, old_line));
    const bool more_new = static_cast<bool>(std::getline(new_lines, new_line));
    if (!more_old && !more_new) return "";
    if (!more_old) return "nothing, now " + new_line;
    if (!more_new) return old_line + ", now nothing";
    if (old_line != new_line) return old_line + ", now " + new_line;
  }
}

std::string input_hash_of(const std::string& effective_toml, const std::string& build) {
  return sha256_of(effective_toml + "# build " + build).substr(0, 16);
}

std::string settings_hash_of(const std::string& effective_toml) {
  return sha256_of(effective_toml).substr(0, 16);
}

}  // namespace harness
