#include "harness/experiment/cells/loaded_inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "harness/core/wording.h"
#include "harness/experiment/cells/cell_profiles.h"
#include "harness/experiment/reading/unused_settings.h"
#include "harness/files/sha256.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_notes.h"
#include "workloads/trace_files/imported_trace.h"
#include "workloads/trace_files/trace_sources.h"

namespace harness {
namespace {

/// Returns `name`, or the path that it stands for; an unknown name and a missing file are errors at `place`.
/// `how` ends the message for a missing file.
std::string name_or_path(const ExperimentSpec& spec, const std::string& what, const std::string& name,
                         std::vector<std::string> (*known_names)(), const InputPlace& place,
                         const std::string& how = "") {
  if (is_path(name)) {
    const std::string path = resolve_path(spec.folder, name);
    if (std::error_code error; std::filesystem::exists(path, error) || error) return path;
    const std::string note = std::filesystem::path(name).is_absolute() ? "" : spec.folder_note;
    throw input_error({place.file, place.line, place.key + " = " + path}, "no such file",
                      "a readable file" + note + ", or one of " + join_names(known_names()) + how);
  }
  const std::vector<std::string> known = known_names();
  if (std::find(known.begin(), known.end(), name) == known.end()) throw_unknown(place, what, name, known);
  return name;
}

/// Returns the checksum of a model's file, or the file's name while it is not there.
std::string checksum_or_name(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) ? sha256_of_file(file) : file;
}

/// Returns all that a pipeline is as a text, for the checksum.
std::string pipeline_text(const Pipeline& pipeline) {
  std::string text = pipeline.name + "\n";
  for (const Module& module : pipeline.modules) {
    text += module.name + " " + module.model;
    for (const ModuleId pre : module.pres) text += " " + std::to_string(pre);
    const char* const branches = module.branches == Branches::kEach ? " each " : " one ";
    for (const double weight : module.branch_weights) text += branches + text_of(weight);
    if (module.input_bytes > 0) text += " bytes " + std::to_string(module.input_bytes);
    if (module.input_height > 0)
      text += " size " + std::to_string(module.input_height) + " " + std::to_string(module.input_width);
    if (!module.file.empty()) text += " file " + checksum_or_name(module.file);
    if (pipeline.has_tasks()) text += " task " + std::to_string(module.task) + " " + text_of(module.accuracy);
    for (const double mean : module.fan_out) text += " fan_out " + text_of(mean);
    text += "\n";
  }
  if (pipeline.has_tasks() && pipeline.fixed_fan_out) text += "rounded\n";
  return text;
}

}  // namespace

LoadedInputs::LoadedInputs(const ExperimentSpec& of) : spec(of), remarks_(unused_settings(of)) {
  for (const NamedAt& name : spec.workload.pipelines) {
    const std::string path = name_or_path(spec, "pipeline", name.name, pipeline_names, name.place);
    Pipeline pipeline = load_pipeline(path, name.place);
    pipeline_checksums_.push_back(sha256_of(pipeline_text(pipeline)));
    if (std::ranges::find(pipelines_, pipeline.name, &Pipeline::name) != pipelines_.end())
      throw input_error(name.place, "two pipelines named " + pipeline.name, "each name once");
    pipelines_.push_back(std::move(pipeline));
  }
}

const ProfileSet& LoadedInputs::profiles(const Settings& settings) {
  const std::string& name = settings.cluster.profiles;
  return profile_sets_.of(name, [&] {
    const InputPlace at = place_of_profiles(spec, name);
    const ProfileSet set = load_profiles(
        name_or_path(spec, "set of profiles", name, profile_set_names, at, how_to_measure(spec, settings)),
        at);
    remark_on_profiles(set);
    return set;
  });
}

TraceSpec LoadedInputs::trace(const Settings& settings) const {
  TraceSpec trace = settings.trace;
  if (!trace.file.empty()) trace.file = resolve_path(spec.folder, trace.file);
  return trace;
}

const std::string& LoadedInputs::checksum_of(const TraceSpec& trace) {
  return trace_checksums_.of(trace.file, [&] {
    return trace.shape == "file" ? recorded_trace(trace)->checksum : trace_checksum(trace);
  });
}

void LoadedInputs::check_unchanged(const TraceSpec& trace) {
  if (trace.shape != "file" || recorded_trace(trace)->checksum == checksum_of(trace)) return;
  throw input_error(place_of_field(trace, "file"), trace.file + ", which has changed since it was read",
                    "a file that stays as it is while the experiment runs");
}

void LoadedInputs::add_remark(std::string line) {
  if (std::ranges::find(remarks_, line) == remarks_.end()) remarks_.push_back(std::move(line));
}

void LoadedInputs::remark_on_profiles(const ProfileSet& set) {
  std::set<std::string> used;
  for (const Pipeline& pipeline : pipelines_) {
    for (const Module& module : pipeline.modules) used.insert(module.model);
  }
  for (const auto& [device, profiles] : set.devices) {
    for (const auto& [model, profile] : profiles) {
      if (!used.contains(model)) continue;
      for (const std::string& note : odd_latencies(profile))
        add_remark("warning: profile of " + model + " on " + device + ": " + note);
    }
  }
}

}  // namespace harness
