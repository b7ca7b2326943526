#include "harness/cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "harness/core/routes.h"
#include "harness/experiment/reading/experiment_keys.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/gpu/device/devices.h"
#include "harness/record/analysis/paired.h"
#include "systems/all_systems.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/files/file_bytes.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/trace_files/trace_sources.h"

namespace harness {
namespace {

void list_systems() {
  for (const SystemEntry& entry : all_systems()) {
    const std::unique_ptr<System> system = entry.make();
    print_formatted("%-12s %s%s%s\n", entry.name, entry.summary,
                    system->serves_streams() ? "; serves streams" : "",
                    system->serves_tasks() ? "; serves task trees" : "");
    ParamList params;
    system->list(params);
    for (const Param& param : params.params()) {
      print_formatted("    %-22s %-12s %s (%s)\n", param.name.c_str(), text_of(param.get()).c_str(),
                      param.doc.c_str(), param.allowed.c_str());
    }
  }
}

double rounded(double value, double steps) { return std::round(value * steps) / steps; }

/// "accuracy 0.895, 13.78 x car_classification, 0.6 x facial_recognition".
std::string variant_text(const Pipeline& pipeline, const Module& variant) {
  std::string text = "accuracy " + text_of(rounded(variant.accuracy, 1000));
  for (std::size_t s = 0; s < variant.subs.size(); ++s) {
    const ModuleId sub = variant.subs[s];
    const auto task = std::find_if(pipeline.tasks.begin(), pipeline.tasks.end(),
                                   [&](const Task& each) { return each.first == sub; });
    text += ", " + text_of(rounded(variant.fan_out[s], 100)) + " x " + task->name;
  }
  return text;
}

void list_tasks(const Pipeline& pipeline) {
  for (const Task& task : pipeline.tasks) {
    print_formatted("    %s: one of %d variants\n", task.name.c_str(), task.variants);
    for (int v = 0; v < task.variants; ++v) {
      const Module& variant = pipeline.modules[task.first + static_cast<std::size_t>(v)];
      print_formatted("        %-18s %s\n", variant.model.c_str(), variant_text(pipeline, variant).c_str());
    }
  }
}

void list_pipelines() {
  for (const std::string& name : pipeline_names()) {
    const Pipeline pipeline = load_pipeline(name);
    print_formatted("%-11s SLO %s ms: %s\n", name.c_str(), text_of(ns_to_ms(pipeline.slo_ns)).c_str(),
                    pipeline.description.c_str());
    if (pipeline.has_tasks()) {
      list_tasks(pipeline);
      continue;
    }
    const std::vector<double> visits = visit_probabilities(pipeline);
    for (std::size_t m = 0; m < visits.size(); ++m) {
      const Module& module = pipeline.modules[m];
      std::string after;
      for (const ModuleId pre : module.pres)
        after += (after.empty() ? "after " : ", ") + pipeline.modules[pre].name;
      if (visits[m] < 1) after += " (" + text_of(std::round(1000 * visits[m]) / 10) + " % of the requests)";
      print_formatted("    %-22s %-16s %s\n", module.name.c_str(), module.model.c_str(), after.c_str());
    }
  }
}

/// "; 3865, 3990 requests/s under 100, 250 ms", or "".
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

void list_profiles() {
  for (const std::string& name : profile_set_names()) {
    const ProfileSet set = load_profiles(name);
    print_formatted("%s: %s\n", name.c_str(), set.description.c_str());
    for (const auto& [model, profile] : set.profiles) {
      print_formatted("    %-22s %8.2f ms at 1, %8.2f ms at %d%s\n", model.c_str(),
                      ns_to_ms(profile.latency(1)), ns_to_ms(profile.latency(profile.max_batch())),
                      profile.max_batch(), goodput_text(profile).c_str());
    }
  }
}

/// Rows of a variant, a set of profiles that may have its model: its batches of powers of two.
void list_batches(const std::string& variant, const std::string& model, const std::string& set) {
  const ProfileSet profiles = load_profiles(set);
  const auto found = profiles.profiles.find(model);
  if (found == profiles.profiles.end()) return;
  for (int batch = 1; batch <= found->second.max_batch(); batch *= 2) {
    const TimeNs latency_ns = found->second.latency(batch);
    print_formatted("%s,%s,%d,%s,%s\n", variant.c_str(), set.c_str(), batch,
                    text_of(ns_to_ms(latency_ns)).c_str(), text_of(batch / ns_to_s(latency_ns)).c_str());
  }
}

/// CSV: what each variant of a task gives up in accuracy and wins in throughput.
void list_variants() {
  print_formatted("pipeline,task,model,accuracy,profiles,batch,latency_ms,throughput_rps\n");
  for (const std::string& name : pipeline_names()) {
    const Pipeline pipeline = load_pipeline(name);
    for (const Module& module : pipeline.modules) {
      if (!pipeline.has_tasks()) break;
      const std::string task = module.name.substr(0, module.name.find(':'));
      const std::string variant = name + "," + task + "," + module.model + "," + text_of(module.accuracy);
      for (const std::string& set : profile_set_names()) list_batches(variant, module.model, set);
    }
  }
}

void list_devices_here() {
  for (const DeviceInfo& device : list_devices()) {
    print_formatted("%-8s %-9s %s\n", device.name.c_str(), device.is_usable ? "usable" : "not here",
                    device.description.c_str());
  }
}

void list_models_here() {
  const std::vector<ModelInfo> models = list_models();
  if (models.empty())
    throw input_error({"", 0, "list models"}, "a build without LibTorch, which has none",
                      "a build with it: install it, then run cmake again");
  print_formatted("%-16s %-9s %10s %11s  %s\n", "model", "input", "parameters", "Table 4", "count from");
  for (const ModelInfo& model : models) {
    const std::string input = std::to_string(model.input_height) + " x " + std::to_string(model.input_width);
    const std::string points = model.exit_points > 0 ? std::to_string(model.exit_points) : "-";
    print_formatted("%-16s %-9s %10lld %11s  %s\n", model.name.c_str(), input.c_str(),
                    static_cast<long long>(model.parameters), points.c_str(), model.source.c_str());
    if (!model.notes.empty()) print_formatted("    %s\n", model.notes.c_str());
  }
}

void list_traces() {
  print_formatted("shapes, by their name in workload.traces, or `shape` of a [trace.NAME]:\n");
  for (const std::string& shape : trace_shape_names()) print_formatted("    %s\n", shape.c_str());
  print_formatted("recorded traces that `harness trace import` knows; any other log: shape = \"file\":\n");
  for (const TraceSource& source : trace_sources())
    print_formatted("    %-22s %s\n", source.name.c_str(), source.description.c_str());
}

void list_figures() {
  const std::string catalogue = read_file(figure_catalogue());
  for (std::string_view text = catalogue; !text.empty();) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t tab = line.find('\t');
    print_formatted("%-28s %s\n", std::string(line.substr(0, tab)).c_str(),
                    tab == std::string_view::npos ? "" : std::string(line.substr(tab + 1)).c_str());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void list_metrics() {
  for (const std::string& metric : metric_columns()) print_formatted("%s\n", metric.c_str());
}

/// As in docs/experiment.md, a line each.
void list_keys() {
  for (const auto& [part, table] : key_tables()) {
    print_formatted("[%s]\n", part.c_str());
    std::istringstream lines(table);
    std::string line;
    for (int number = 0; std::getline(lines, line); ++number) {
      constexpr int kHeader = 2;
      if (number < kHeader || !line.starts_with("| `")) continue;
      print_formatted("    %s\n", line.substr(2, line.size() - 4).c_str());
    }
  }
}

struct List {
  const char* name;
  const char* doc;
  void (*print)();
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

void print_asked(const CLI::App& command) {
  const std::vector<std::string> more = command.remaining(true);
  for (const List& list : kLists) {
    if (more.empty() && command.got_subcommand(list.name)) return list.print();
  }
  std::vector<std::string> known;
  for (const List& list : kLists) known.emplace_back(list.name);
  const std::string near = more.empty() ? "" : nearest_name(more.front(), known);
  throw input_error({"", 0, "list"}, more.empty() ? "nothing" : "'" + more.front() + "'",
                    "one of " + join_names(known) + (near.empty() ? "" : " (did you mean " + near + "?)"));
}

}  // namespace

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
      "  harness list keys          the keys of an experiment file (docs/experiment.md)\n"
      "exit_points of a model is the number in SHEPHERD's Table 4.\n"
      "Exit codes: 0 all well; 2 no such list, or a build without LibTorch has no models.");
  for (const List& one : kLists) list->add_subcommand(one.name, one.doc);
  list->callback([list] { print_asked(*list); });
}

}  // namespace harness
