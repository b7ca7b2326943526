// Every key of the shared tables: another value is another effective configuration, and another result unless
// the list below says why not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "harness/experiment/cells/cell_text.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/running/run_cell.h"

namespace harness {
namespace {

/// The keys whose effect a simulated cell of these pipelines cannot show, each with its reason.
const std::map<std::string, std::string> kElsewhere = {
    {"cluster.gpus_per_server", "servers matter to systems that place instances (servers_test.py)"},
    {"cluster.server_cores", "as gpus_per_server"},
    {"cluster.server_memory_gb", "as gpus_per_server"},
    {"cluster.gpu_memory_gb", "refuses models that are too large, and changes nothing else"},
    {"cluster.disk_gb_per_s", "as gpus_per_server: of parameters that are read for instances"},
    {"cluster.host_gb_per_s", "as gpus_per_server"},
    {"workload.measure_from_s", "counts less of the same run (measured_part_test.cc)"},
    {"cluster.preemption", "of systems that preempt, in batches of streams (shepherd's tests)"},
};

/// A key, another value for it, and the experiment in which the key has an effect.
struct Change {
  const char* key;
  const char* value;
  const char* base;
};

constexpr const char* kPlain = "plain";
constexpr const char* kCosts = "costs";
constexpr const char* kJitter = "jitter";
constexpr const char* kRate = "rate";
constexpr const char* kScaled = "scaled";
constexpr const char* kTree = "tree";
constexpr const char* kBranches = "branches";
constexpr const char* kPlaced = "placed";
constexpr const char* kOtherProfiles = "/harness-every-key-profiles.toml";  // below the folder of tests

constexpr Change kChanges[] = {
    {"cluster.workers", "9", kPlain},
    {"cluster.profiles", kOtherProfiles, kPlain},
    {"cluster.profile_scale", "1.5", kPlain},
    {"cluster.network_delay_ms", "3", kPlain},
    {"cluster.jitter", "exponential", kPlain},
    {"cluster.jitter_fraction", "0.3", kJitter},
    {"cluster.cold_start", "load_time", kTree},
    {"cluster.cold_start_ms", "100", kScaled},
    {"cluster.scheduler_cost", "none", kCosts},
    {"cluster.scheduler_cost_us", "900", kCosts},
    {"cluster.scheduler_queue_limit_ms", "0.3", kCosts},
    {"serving.commit", "late", kPlain},
    {"serving.dispatch", "least_outstanding", kPlain},
    {"serving.queue", "module", kPlain},
    {"serving.state_period_ms", "50", kPlain},
    {"serving.state_delay_ms", "400", kPlain},
    {"planner.sizing_factor", "4", kPlain},
    {"planner.max_batch", "2", kPlain},
    {"planner.workers", "balanced", kRate},
    {"planner.branch_shares", "unknown", kBranches},
    {"planner.headroom", "2", kRate},
    {"planner.autoscale", "false", kScaled},
    {"planner.period_s", "2", kScaled},
    {"planner.plan_time_ms", "1500", kScaled},
    {"planner.scale_down_s", "1", kScaled},
    {"planner.initial_workers", "1", kScaled},
    {"planner.placement", "\"resnet18 resnest269, resnet18\"", kPlaced},
    {"workload.answers", "partial", kTree},
    {"workload.fan_out_spread", "rounded", kTree},
};

std::string base_text(const std::string& base) {
  const std::string chain =
      "[workload]\npipelines = \"tm\"\ntraces = \"tweet\"\nduration_s = 12\nloads = 1.2\n[cluster]\nworkers "
      "= 8\n";
  const std::string pard = "[[system]]\nname = \"pard\"\n";
  if (base == kJitter) return chain + "jitter = \"uniform\"\n" + pard;
  if (base == kCosts) return chain + "scheduler_cost = \"fixed\"\nscheduler_cost_us = 300\n" + pard;
  if (base == kRate || base == kScaled) {  // one half of many workers is enough, until the load is threefold
    const std::string scaled = base == kScaled ? "autoscale = true\nperiod_s = 3\nscale_down_s = 4\n" : "";
    return "[workload]\npipelines = \"tm\"\ntraces = \"step\"\nduration_s = 12\nloads = 0.3\n[cluster]\n"
           "workers = 64\ncold_start_ms = 1000\n[trace.step]\nstep_ratio = 3\n[planner]\nworkers = "
           "\"rate\"\n" +
           scaled + pard;
  }
  if (base == kBranches) {
    std::string text = chain + pard;
    return text.replace(text.find("\"tm\""), 4, "\"da-dynamic\"");
  }
  if (base == kTree)
    return "[workload]\npipelines = \"traffic-analysis\"\ntraces = \"step\"\nduration_s = 30\nrates_rps = "
           "200\n"
           "[cluster]\nworkers = 20\nprofiles = \"loki-gtx1080ti\"\n[[system]]\nname = \"loki\"\n";
  if (base == kPlaced)
    return "[workload]\npipelines = \"two-streams\"\ntraces = \"two-streams\"\nduration_s = 1\nrates_rps = "
           "0\n"
           "[cluster]\nworkers = 2\n[[system]]\nname = \"clockwork\"\n";
  return chain + pard;
}

struct Result {
  std::string effective_toml;
  std::string fingerprint;
};

Result result_of(const std::string& base, const std::vector<std::string>& overrides) {
  const ExperimentSpec spec = parse(base_text(base), overrides);
  CellFactory factory(spec, "b");
  BoundCache bounds;
  const PreparedCell prepared = factory.prepare(factory.cells().front());
  CellRun how;
  std::string folder = testing::TempDir() + "/every-key-XXXXXX";
  how.path = std::string(::mkdtemp(folder.data())) + "/cell.h5";
  const SummaryRow row = run_cell(factory, bounds, prepared, how);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(row.status, "ok") << row.why;
  return {prepared.identity.effective_toml, row.fingerprint};
}

TEST(EveryKey, OfTheSharedTablesActsOrIsInTheList) {
  std::map<std::string, Result> standard;
  std::set<std::string> tried;
  std::ofstream(testing::TempDir() + kOtherProfiles) << "base = 'shepherd-v100'\nadd_ms_per_batch = 2\n";
  for (const auto& [key, value, base] : kChanges) {
    SCOPED_TRACE(key);
    tried.insert(key);
    if (standard.count(base) == 0) standard[base] = result_of(base, {});
    const std::string given = (value == kOtherProfiles ? testing::TempDir() : "") + value;
    const Result changed = result_of(base, {std::string(key) + "=" + given});
    EXPECT_NE(changed.effective_toml, standard[base].effective_toml);
    EXPECT_NE(changed.fingerprint, standard[base].fingerprint);
  }
  Settings settings;
  for (const Section& section : fixed_sections(settings)) {
    if (section.name == "live" || section.name == "gpu" || section.name == "server") continue;  // wall clock
    for (const Param& param : section.params) {
      const std::string key = section.name + "." + param.name;
      EXPECT_NE(tried.contains(key), kElsewhere.contains(key)) << key;
    }
  }
}

/// Returns another legal value than the parameter has.
std::optional<ParamValue> other_value(const Param& param) {
  const ParamValue now = param.get();
  std::vector<ParamValue> values = {true, false};
  for (const double number : {0.3, 1.0, 2.0, 3.0, 7.0, 50.0, 0.05}) values.emplace_back(number);
  const std::string one_of = "one of ";
  if (param.allowed.starts_with(one_of)) {
    std::string names = param.allowed.substr(one_of.size()) + ", ";
    for (std::size_t end = names.find(", "); end != std::string::npos; end = names.find(", ")) {
      values.emplace_back(names.substr(0, end));
      names.erase(0, end + 2);
    }
  }
  for (const ParamValue& value : values) {
    if (value != now && param.set(value)) return value;
  }
  return std::nullopt;
}

/// Returns the settings as a cell's text has them.
std::string text_of(const Settings& settings, const std::string& system, Runtime runtime) {
  ExperimentSpec spec;
  spec.workload.pipelines.resize(1);
  spec.systems.resize(1);
  spec.systems[0].name = system;
  Cell cell;
  cell.runtime = runtime;
  Pipeline pipeline;
  pipeline.modules.resize(1);
  pipeline.modules[0].name = "m";
  pipeline.tasks.resize(1);
  const CellTextTemplate frame = cell_frame(spec, cell, settings, pipeline);
  return frame.before + frame.between + frame.after;
}

TEST(EveryKey, OfATableOrASystemIsInTheEffectiveConfiguration) {
  std::vector<std::pair<std::string, Param>> keys;
  Settings scratch;
  std::vector<std::unique_ptr<System>> systems;
  for (const Section& section : fixed_sections(scratch)) {
    for (const Param& param : section.params) keys.emplace_back(section.name + "." + param.name, param);
  }
  ModuleOverride module;
  for (const Param& param : module_params(module)) keys.emplace_back("module.m." + param.name, param);
  for (const std::string& name : known_systems()) {
    systems.push_back(known_system(name)->make());
    for (const Param& param : system_params(*systems.back()))
      keys.emplace_back(name + "." + param.name, param);
  }
  EXPECT_GT(keys.size(), 200U);
  for (const auto& [key, param] : keys) {
    std::optional<ParamValue> value = other_value(param);
    if (!value) value = "a";  // a text
    Settings settings;
    const std::string system = known_system(section_of(key)) == nullptr ? "naive" : section_of(key);
    settings.modules["m"] = {};
    // Cells of both runtimes have [live] too.
    const Runtime runtime = section_of(key) == "server" ? Runtime::kServer : Runtime::kGpu;
    const std::string before = text_of(settings, system, runtime);
    assign(settings, {key, *value, {}});
    EXPECT_NE(text_of(settings, system, runtime), before) << key;
  }
}

}  // namespace
}  // namespace harness
