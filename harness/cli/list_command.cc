#include "harness/cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "harness/cli/printing.h"
#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "harness/core/routes.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/experiment_keys.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/files/file_bytes.h"
#include "harness/gpu/device/device_info.h"
#include "harness/gpu/device/devices.h"
#include "harness/gpu/device/model_info.h"
#include "harness/record/run/column_facts.h"
#include "harness/text/json.h"
#include "harness/text/text_table.h"
#include "systems/all_systems.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_set.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/trace_files/trace_sources.h"

namespace harness {
namespace {

/// The contents of a list, for people and for programs.
struct Listing {
  std::string text;
  std::vector<Json> entries;

  void add(const JsonObject& entry) { entries.push_back(entry.json()); }
};

Json json_of_value(const ParamValue& value) {
  return std::visit([](const auto& one) { return Json{json_of(one)}; }, value);
}

Listing list_systems() {
  Listing listing;
  for (const SystemEntry& entry : all_systems()) {
    const std::unique_ptr<System> system = entry.make();
    const SystemTraits traits = system->traits();
    listing.text += formatted("%-12s %s%s%s\n", entry.name, entry.summary,
                              traits.serves_streams ? "; serves streams" : "",
                              traits.serves_tasks ? "; serves task trees" : "");
    ParamList params;
    system->list(params);
    std::vector<Json> parameters;
    for (const Param& param : params.params()) {
      listing.text += formatted("    %-22s %-12s %s (%s)\n", param.name.c_str(), text_of(param.get()).c_str(),
                                param.doc.c_str(), param.allowed.c_str());
      JsonObject parameter;
      parameter.add("name", param.name);
      parameter.add("default", json_of_value(param.get()));
      parameter.add("description", param.doc);
      parameter.add("allowed", param.allowed);
      if (!param.readings.empty()) {
        std::vector<Json> readings;
        for (const ParamValue& value : param.readings) readings.push_back(json_of_value(value));
        parameter.add("readings", readings);
      }
      parameters.push_back(parameter.json());
    }
    JsonObject object;
    object.add("name", std::string(entry.name));
    object.add("description", std::string(entry.summary));
    object.add("serves_streams", traits.serves_streams);
    object.add("serves_tasks", traits.serves_tasks);
    object.add("parameters", parameters);
    listing.add(object);
  }
  return listing;
}

double rounded(double value, double steps) { return std::round(value * steps) / steps; }

/// Returns the task that begins with this module.
const Task& task_at(const Pipeline& pipeline, ModuleId first) {
  return *std::find_if(pipeline.tasks.begin(), pipeline.tasks.end(),
                       [&](const Task& each) { return each.first == first; });
}

/// Returns "accuracy 0.895, 13.78 x car_classification, 0.6 x facial_recognition".
std::string variant_text(const Pipeline& pipeline, const Module& variant) {
  std::string text = "accuracy " + text_of(rounded(variant.accuracy, 1000));
  for (std::size_t s = 0; s < variant.subs.size(); ++s)
    text +=
        ", " + text_of(rounded(variant.fan_out[s], 100)) + " x " + task_at(pipeline, variant.subs[s]).name;
  return text;
}

Json variant_json(const Pipeline& pipeline, const Module& variant) {
  JsonObject causes;
  for (std::size_t s = 0; s < variant.subs.size(); ++s)
    causes.add(task_at(pipeline, variant.subs[s]).name, variant.fan_out[s]);
  JsonObject object;
  object.add("model", variant.model);
  object.add("accuracy", variant.accuracy);
  object.add("visits_caused", causes.json());
  return object.json();
}

void list_tasks(const Pipeline& pipeline, std::string& text, JsonObject& object) {
  std::vector<Json> tasks;
  for (const Task& task : pipeline.tasks) {
    text += formatted("    %s: one of %d variants\n", task.name.c_str(), task.variants);
    std::vector<Json> variants;
    for (int v = 0; v < task.variants; ++v) {
      const Module& variant = pipeline.modules[task.first + static_cast<std::size_t>(v)];
      text += formatted("        %-18s %s\n", variant.model.c_str(), variant_text(pipeline, variant).c_str());
      variants.push_back(variant_json(pipeline, variant));
    }
    JsonObject one;
    one.add("name", task.name);
    one.add("variants", variants);
    tasks.push_back(one.json());
  }
  object.add("tasks", tasks);
}

void list_modules(const Pipeline& pipeline, std::string& text, JsonObject& object) {
  const std::vector<double> visits = visit_probabilities(pipeline);
  std::vector<Json> modules;
  for (std::size_t m = 0; m < visits.size(); ++m) {
    const Module& module = pipeline.modules[m];
    std::vector<std::string> before;
    for (const ModuleId pre : module.pres) before.push_back(pipeline.modules[pre].name);
    std::string after = before.empty() ? "" : "after " + join_names(before);
    if (visits[m] < 1) after += " (" + text_of(std::round(1000 * visits[m]) / 10) + " % of the requests)";
    text += formatted("    %-22s %-16s %s\n", module.name.c_str(), module.model.c_str(), after.c_str());
    JsonObject one;
    one.add("name", module.name);
    one.add("model", module.model);
    one.add("after", before);
    one.add("request_share", visits[m]);
    modules.push_back(one.json());
  }
  object.add("modules", modules);
}

Listing list_pipelines() {
  Listing listing;
  for (const std::string& name : pipeline_names()) {
    const Pipeline pipeline = load_pipeline(name);
    listing.text += formatted("%-11s SLO %s ms: %s\n", name.c_str(),
                              text_of(ns_to_ms(pipeline.slo_ns)).c_str(), pipeline.description.c_str());
    JsonObject object;
    object.add("name", name);
    object.add("slo_ms", ns_to_ms(pipeline.slo_ns));
    object.add("description", pipeline.description);
    if (pipeline.has_tasks())
      list_tasks(pipeline, listing.text, object);
    else
      list_modules(pipeline, listing.text, object);
    listing.add(object);
  }
  return listing;
}

/// Returns "; 3865, 3990 requests/s under 100, 250 ms", or "".
std::string goodput_text(const Profile& profile) {
  std::string rates;
  std::string slos;
  for (const GoodputPoint& point : profile.goodput) {
    const std::string comma = rates.empty() ? "" : ", ";
    rates += comma + text_of(std::round(10 * point.rps) / 10);
    slos += comma + text_of(ns_to_ms(point.slo_ns));
  }
  return rates.empty() ? "" : "; " + rates + " requests/s under " + slos + " ms";
}

Json profile_json(const std::string& model, const Profile& profile) {
  std::vector<double> latencies;
  for (int batch = 1; batch <= profile.max_batch(); ++batch)
    latencies.push_back(ns_to_ms(profile.latency(batch)));
  std::vector<Json> goodput;
  for (const GoodputPoint& point : profile.goodput) {
    JsonObject one;
    one.add("slo_ms", ns_to_ms(point.slo_ns));
    one.add("goodput_rps", point.rps);
    goodput.push_back(one.json());
  }
  JsonObject object;
  object.add("model", model);
  object.add("device", profile.device);
  object.add("max_batch", profile.max_batch());
  object.add("latency_ms", latencies);
  object.add("goodput", goodput);
  return object.json();
}

Listing list_profiles() {
  Listing listing;
  for (const std::string& name : profile_set_names()) {
    const ProfileSet set = load_profiles(name);
    listing.text += formatted("%s: %s\n", name.c_str(), set.description.c_str());
    std::vector<Json> profiles;
    const auto add = [&](const std::string& model, const Profile& profile, const std::string& shown) {
      listing.text += formatted("    %-22s %8.2f ms at 1, %8.2f ms at %d%s\n", shown.c_str(),
                                ns_to_ms(profile.latency(1)), ns_to_ms(profile.latency(profile.max_batch())),
                                profile.max_batch(), goodput_text(profile).c_str());
      profiles.push_back(profile_json(model, profile));
    };
    for (const auto& [model, first] : set.profiles) {
      std::vector<const Profile*> all;  // one for each device
      for (const auto& [device, of_device] : set.devices) {
        if (const auto found = of_device.find(model); found != of_device.end()) all.push_back(&found->second);
      }
      for (const Profile* profile : all)
        add(model, *profile, all.size() > 1 ? model + " on " + profile->device : model);
    }
    JsonObject object;
    object.add("name", name);
    object.add("description", set.description);
    object.add("profiles", profiles);
    listing.add(object);
  }
  return listing;
}

/// Adds the rows of a variant for a set of profiles that may have its model: its batches of powers of two.
void add_batches(TextTable& table, const std::string& pipeline, const Module& variant,
                 const std::string& set) {
  const ProfileSet profiles = load_profiles(set);
  const auto found = profiles.profiles.find(variant.model);
  if (found == profiles.profiles.end()) return;
  for (int batch = 1; batch <= found->second.max_batch(); batch *= 2) {
    const TimeNs latency_ns = found->second.latency(batch);
    table.add_row();
    table.add({"pipeline"}, pipeline);
    table.add({"task"}, variant.name.substr(0, variant.name.find(':')));
    table.add({"model"}, variant.model);
    table.add({"accuracy"}, variant.accuracy);
    table.add({"profiles"}, set);
    table.add({"batch"}, batch);
    table.add({"latency_ms"}, ns_to_ms(latency_ns));
    table.add({"throughput_rps"}, batch / ns_to_s(latency_ns));
  }
}

/// Returns as CSV what each variant of a task gives up in accuracy and wins in throughput.
Listing list_variants() {
  TextTable table;
  for (const std::string& name : pipeline_names()) {
    const Pipeline pipeline = load_pipeline(name);
    for (const Task& task : pipeline.tasks) {
      if (task.variants < 2) continue;  // nothing to choose
      const auto first = pipeline.modules.begin() + task.first;
      for (const Module& variant : std::span(first, first + task.variants))
        for (const std::string& set : profile_set_names()) add_batches(table, name, variant, set);
    }
  }
  return {csv_text(table), json_rows(table)};
}

Listing list_devices_here() {
  Listing listing;
  for (const DeviceInfo& device : list_devices()) {
    listing.text += formatted("%-8s %-9s %s\n", device.name.c_str(), device.is_usable ? "usable" : "not here",
                              device.description.c_str());
    JsonObject object;
    object.add("name", device.name);
    object.add("is_usable", device.is_usable);
    object.add("description", device.description);
    listing.add(object);
  }
  return listing;
}

Listing list_models_here() {
  const std::vector<ModelInfo> models = list_models();
  if (models.empty())
    throw input_error({"", 0, "list models"}, "a build without LibTorch, which has none",
                      "a build with it: install it, then run cmake again");
  Listing listing;
  listing.text =
      formatted("%-16s %-9s %10s %11s  %s\n", "model", "input", "parameters", "Table 4", "count from");
  for (const ModelInfo& model : models) {
    const std::string input = std::to_string(model.input_height) + " x " + std::to_string(model.input_width);
    const std::string points = model.exit_points > 0 ? std::to_string(model.exit_points) : "-";
    listing.text += formatted("%-16s %-9s %10lld %11s  %s\n", model.name.c_str(), input.c_str(),
                              static_cast<long long>(model.parameters), points.c_str(), model.source.c_str());
    if (!model.notes.empty()) listing.text += formatted("    %s\n", model.notes.c_str());
    JsonObject object;
    object.add("name", model.name);
    object.add("input_height_px", model.input_height);
    object.add("input_width_px", model.input_width);
    object.add("parameters", model.parameters);
    object.add("exit_points", model.exit_points > 0 ? Json{json_of(model.exit_points)} : Json{"null"});
    object.add("source", model.source);
    object.add("notes", model.notes);
    listing.add(object);
  }
  return listing;
}

Listing list_traces() {
  Listing listing;
  const auto add = [&listing](const char* kind, const std::string& name, const std::string& description) {
    JsonObject object;
    object.add("name", name);
    object.add("kind", std::string(kind));
    object.add("description", description);
    listing.add(object);
  };
  listing.text = "shapes, by their name in workload.traces, or `shape` of a [trace.NAME]:\n";
  for (const std::string& shape : trace_shape_names()) {
    listing.text += "    " + shape + "\n";
    add("shape", shape, "");
  }
  listing.text += "recorded traces that `harness trace import` knows; any other log: shape = \"file\":\n";
  for (const TraceSource& source : trace_sources()) {
    listing.text += formatted("    %-22s %s\n", source.name.c_str(), source.description.c_str());
    add("recorded", source.name, source.description);
  }
  return listing;
}

Listing list_figures() {
  Listing listing;
  std::istringstream catalogue(read_file(figure_catalogue()));
  for (std::string line; std::getline(catalogue, line);) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    const std::string name = line.substr(0, tab);
    const std::string description = tab < line.size() ? line.substr(tab + 1) : "";
    listing.text += formatted("%-28s %s\n", name.c_str(), description.c_str());
    JsonObject object;
    object.add("name", name);
    object.add("description", description);
    listing.add(object);
  }
  return listing;
}

Listing list_metrics() {
  Listing listing;
  const std::vector<std::string> metrics = metric_columns();
  for (const ColumnFacts& facts : column_facts()) {
    if (std::ranges::find(metrics, facts.name) == metrics.end()) continue;
    listing.text += facts.name + "\n";
    JsonObject object;
    ColumnFacts::list(facts, [&object](const char* name, const auto& value) { object.add(name, value); });
    listing.add(object);
  }
  return listing;
}

/// Returns the cells of a row of a Markdown table.
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  for (std::size_t from = 2; from < row.size();) {
    const std::size_t to = std::min(row.find(" |", from), row.size());
    cells.push_back(row.substr(from, to - from));
    from = to + 3;
  }
  return cells;
}

/// Returns the keys as in docs/keys.md, a line each.
Listing list_keys() {
  Listing listing;
  for (const auto& [part, table] : key_tables()) {
    listing.text += "[" + part + "]\n";
    std::istringstream lines(table);
    std::string line;
    for (int number = 0; std::getline(lines, line); ++number) {
      constexpr int kHeader = 2;
      if (number < kHeader || !line.starts_with("| `")) continue;
      listing.text += "    " + line.substr(2, line.size() - 4) + "\n";
      JsonObject object;
      object.add("part", part);
      std::vector<std::string> cells = cells_of(line);
      std::erase(cells.front(), '`');
      constexpr std::array<const char*, 4> kNames = {"name", "default", "allowed", "description"};
      for (std::size_t i = 0; i < std::min(cells.size(), kNames.size()); ++i) object.add(kNames[i], cells[i]);
      listing.add(object);
    }
  }
  return listing;
}

struct List {
  const char* name;
  const char* doc;
  Listing (*make)();
};

constexpr List kLists[] = {
    {"systems", "serving systems and their parameters", list_systems},
    {"pipelines", "pipelines, their modules and substitute models", list_pipelines},
    {"profiles", "sets of profiles and their models", list_profiles},
    {"variants", "variants of tasks: accuracy, and throughput by batch, as CSV", list_variants},
    {"devices", "what this build can run models on, here", list_devices_here},
    {"models", "networks of the zoo", list_models_here},
    {"traces", "shapes of load, and the recorded traces that are known", list_traces},
    {"figures", "what harness figures draws", list_figures},
    {"metrics", "columns of results that hold numbers, for --paired, --tolerance and claims", list_metrics},
    {"keys", "all keys of an experiment file: name, default, allowed, what it does", list_keys},
};

void print_asked(const CLI::App& command, bool as_json) {
  const std::vector<std::string> more = command.remaining(true);
  for (const List& list : kLists) {
    if (!more.empty() || !command.got_subcommand(list.name)) continue;
    const Listing listing = list.make();
    return print_text(as_json ? json_lines(listing.entries) + "\n" : listing.text);
  }
  std::vector<std::string> known;
  for (const List& list : kLists) known.emplace_back(list.name);
  const std::string near = more.empty() ? "" : nearest_name(more.front(), known);
  throw input_error({"", 0, "list"}, more.empty() ? "nothing" : "'" + more.front() + "'",
                    "one of " + join_names(known) + (near.empty() ? "" : " (did you mean " + near + "?)"));
}

}  // namespace

void print_figure_names() { print_text(list_figures().text); }

void add_list_command(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  CLI::App* list = app.add_subcommand("list", "Print what experiments can name");
  list->require_subcommand(0, 1);
  list->allow_extras();
  list->footer(
      "Examples:\n"
      "  harness list systems       each with its parameters, for `params = { ... }` and [[sweep]]\n"
      "  harness list pipelines     their modules, models and SLOs; of task trees the variants,\n"
      "                             their accuracies and how many visits one causes at the tasks after it\n"
      "  harness list profiles      which models each set has, for cluster.profiles\n"
      "  harness list variants      what each variant of a task gives up in accuracy and wins in\n"
      "                             throughput (CSV); harness figures FILE.csv draws it\n"
      "  harness list devices       cpu, the GPUs of this machine; for harness profile --device\n"
      "  harness list models        the zoo: what harness profile and runtime = \"gpu\" run without a file\n"
      "  harness list traces        what workload.traces can name\n"
      "  harness list figures       what `figures` of an experiment, and --only, can name\n"
      "  harness list metrics       columns of results that hold numbers\n"
      "  harness list keys          the keys of an experiment file (docs/keys.md)\n"
      "exit_points of a model is the number in SHEPHERD's Table 4.\n"
      "Exit codes: 0 all well; 2 no such list, or a build without LibTorch has no models.");
  const auto json = std::make_shared<bool>(false);
  list->add_flag("--json", *json, "the list as JSON (docs/commands.md)");
  for (const List& one : kLists) list->add_subcommand(one.name, one.doc)->fallthrough();
  list->callback([list, json] { print_asked(*list, *json); });
}

}  // namespace harness
