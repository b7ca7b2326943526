#include "harness/cli/list_command.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/params.h"
#include "harness/core/routes.h"
#include "harness/gpu/devices.h"
#include "systems/all_systems.h"
#include "workloads/catalogue.h"

namespace harness {
namespace {

void list_systems() {
  for (const SystemEntry& entry : all_systems()) {
    std::printf("%-12s %s\n", entry.name, entry.summary);
    const std::unique_ptr<System> system = entry.make();
    ParamList params;
    system->list(params);
    for (const Param& param : params.params()) {
      std::printf("    %-22s %-12s %s (%s)\n", param.name.c_str(), text_of(param.get()).c_str(),
                  param.doc.c_str(), param.allowed.c_str());
    }
  }
}

void list_pipelines() {
  for (const std::string& name : pipeline_names()) {
    const Pipeline pipeline = load_pipeline(name);
    std::printf("%-10s SLO %s ms: %s\n", name.c_str(), text_of(ns_to_ms(pipeline.slo_ns)).c_str(),
                pipeline.description.c_str());
    const std::vector<double> visits = visit_probabilities(pipeline);
    for (std::size_t m = 0; m < visits.size(); ++m) {
      const Module& module = pipeline.modules[m];
      std::string after;
      for (const ModuleId pre : module.pres)
        after += (after.empty() ? "after " : ", ") + pipeline.modules[pre].name;
      if (visits[m] < 1) after += " (" + text_of(std::round(1000 * visits[m]) / 10) + " % of the requests)";
      std::printf("    %-22s %-16s %s\n", module.name.c_str(), module.model.c_str(), after.c_str());
    }
  }
}

void list_profiles() {
  for (const std::string& name : profile_set_names()) {
    const ProfileSet set = load_profiles(name);
    std::printf("%s: %s\n", name.c_str(), set.description.c_str());
    for (const auto& [model, profile] : set.profiles) {
      std::printf("    %-22s %8.2f ms at 1, %8.2f ms at %d\n", model.c_str(), ns_to_ms(profile.latency(1)),
                  ns_to_ms(profile.latency(profile.max_batch())), profile.max_batch());
    }
  }
}

void list_devices_here() {
  for (const DeviceInfo& device : list_devices()) {
    std::printf("%-8s %-9s %s\n", device.name.c_str(), device.is_usable ? "usable" : "not here",
                device.description.c_str());
  }
}

}  // namespace

void add_list_command(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  CLI::App* list = app.add_subcommand("list", "Print what experiments can name");
  list->require_subcommand(1);
  list->add_subcommand("systems", "serving systems and their parameters")->callback(list_systems);
  list->add_subcommand("pipelines", "pipelines, their modules and stand-in models")->callback(list_pipelines);
  list->add_subcommand("profiles", "sets of profiles and their models")->callback(list_profiles);
  list->add_subcommand("devices", "what this build can run models on, here")->callback(list_devices_here);
}

}  // namespace harness
