#include "harness/cli/robust_steps.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>

#include "harness/core/wording.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/reading/config_tree.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/reading/robustness.h"
#include "harness/experiment/reading/suite.h"
#include "harness/experiment/storing/build_id.h"
#include "harness/files/file_bytes.h"

namespace harness {
namespace {

constexpr const char* kSlowName = "execution-times";
constexpr double kSlower[] = {1.02, 1.06};
constexpr double kSizing[] = {0.8, 1.25};

RobustStep step_of(const Assignment& one) { return {one.key + "=" + text_of(one.value), {one}, 0, ""}; }

/// Adds steps to the other values of a choice or a flag of [serving].
void add_others(Settings& base, const std::string& name, std::vector<RobustStep>& steps) {
  ParamList list;
  base.serving.list(list);
  const Param* param = list.find(name);
  for (const ParamValue& value : param->values) {
    if (value != param->get()) steps.push_back(step_of({"serving." + name, value, {}}));
  }
}

void add_readings(const ExperimentSpec& spec, std::vector<RobustStep>& steps) {
  std::set<std::string> seen;
  for (const SystemSpec& entry : spec.systems) {
    for (const std::string& name : {entry.name, entry.planner}) {
      if (name.empty() || !seen.insert(name).second) continue;
      const std::unique_ptr<System> system = make_one_system(name, spec.base);
      for (const Param& param : system_params(*system)) {
        for (const ParamValue& value : param.readings) {
          if (value != param.get()) steps.push_back(step_of({name + "." + param.name, value, {}}));
        }
      }
    }
  }
}

std::string percent_text(double share) { return text_of(std::round(share * 1000) / 10) + " %"; }

/// Adds steps in which batches take longer than planners and schedulers believe.
void add_execution_times(std::vector<RobustStep>& steps) {
  const std::string fault = std::string("fault.") + kSlowName + ".";
  for (const double factor : kSlower) {
    steps.push_back({"execution times +" + percent_text(factor - 1),
                     {{fault + "on", true, {}}, {fault + "factor", factor, {}}},
                     0,
                     ""});
  }
}

void add_jitter(const WorldParams& world, std::vector<RobustStep>& steps) {
  const bool is_off = world.jitter == Jitter::kOff;
  if (!is_off) steps.push_back({"jitter none", {{"cluster.jitter", std::string("none"), {}}}, 0, ""});
  for (const double fraction : {0.05, 0.1}) {
    if (is_off || (fraction > 0.05 && world.jitter_fraction != fraction))
      steps.push_back(
          {"jitter " + percent_text(fraction),
           {{"cluster.jitter", std::string("uniform"), {}}, {"cluster.jitter_fraction", fraction, {}}},
           0,
           ""});
  }
}

std::vector<RobustStep> standard_steps(const ExperimentSpec& spec) {
  std::vector<RobustStep> steps;
  Settings base = spec.base;
  add_others(base, "commit", steps);
  add_others(base, "queue", steps);
  for (const double factor : kSizing)
    steps.push_back(
        step_of({"planner.sizing_factor", std::round(base.planner.sizing_factor * factor * 1e6) / 1e6, {}}));
  add_readings(spec, steps);
  add_execution_times(steps);
  add_jitter(base.world, steps);
  add_others(base, "dispatch", steps);
  return steps;
}

/// True if the system sets the key for itself.
bool sets(const SystemSpec& system, const Assignment& value) {
  return std::ranges::find(system.overrides, value.key, &Assignment::key) != system.overrides.end();
}

/// True if the step changes something for the system. For a shared key it is true even if the system sets the
/// key for itself: the load of its cells follows the plan without the systems' own settings.
bool takes(const SystemSpec& system, const RobustStep& step) {
  return std::any_of(step.values.begin(), step.values.end(), [&](const Assignment& value) {
    const std::string section = section_of(value.key);
    if (known_system(section) == nullptr) return true;
    return is_of(section, system) && !sets(system, value);
  });
}

TomlValue text_value(const std::string& text) { return {0, text}; }

TomlArray& array_to_set(TomlTable& table, const std::string& key) {
  TomlValue& value = member_to_set(table, key);
  if (!std::holds_alternative<TomlArray>(value.data)) value.data = TomlArray();
  return std::get<TomlArray>(value.data);
}

TomlTable& table_to_set(TomlTable& table, const std::string& key) {
  return std::get<TomlTable>(member_to_set(table, key).data);
}

/// Returns the experiment as it is run: with seeds enough, without rows, with its metric.
TomlValue base_document(const ExperimentSpec& spec, const std::vector<std::string>& overrides) {
  TomlValue document = parse_toml(spec.file, read_file(spec.file));
  for (const std::string& text : overrides) apply_override(document, text);
  drop_unlisted(document);
  auto& table = std::get<TomlTable>(document.data);
  std::erase_if(table, [](const TomlEntry& entry) {
    return entry.key == "repeat_until" || entry.key == "record" || entry.key == kRobustnessKey ||
           entry.key == "figures";
  });
  member_to_set(table, "name").data = spec.name + "-robust";
  array_to_set(table, "figures") = {text_value("robust")};
  member_to_set(table_to_set(table, "record"), "rows").data = false;
  TomlTable& robustness = table_to_set(table, kRobustnessKey);
  member_to_set(robustness, "metric").data = spec.robustness.metric;
  member_to_set(robustness, "margin").data = spec.robustness.margin;
  if (spec.workload.seeds.size() < static_cast<std::size_t>(spec.robustness.seeds)) {
    TomlArray& seeds = array_to_set(table_to_set(table, "workload"), "seeds");
    seeds.clear();
    for (int seed = 1; seed <= spec.robustness.seeds; ++seed) seeds.push_back({0, static_cast<double>(seed)});
  }
  return document;
}

/// Returns a fault of all GPUs that does nothing until a step turns it on.
TomlValue slow_fault(int workers) {
  const std::string text =
      std::string("name = \"") + kSlowName +
      "\"\nkind = \"slow\"\non = false\nat_s = 0\nfor_s = 1e9\nfactor = 1\ngpu = 0\ncount = " +
      std::to_string(workers) + "\n";
  return parse_toml("robust", text);
}

TomlValue setting_table(const std::string& name, const std::vector<Assignment>& values) {
  std::string text = "name = " + harness::toml_text(name) + "\n[set]\n";
  for (const Assignment& value : values)
    text += harness::toml_text(value.key) + " = " + harness::toml_text(value.value) + "\n";
  return parse_toml("robust", text);
}

/// Returns the document with a setting for each of the steps; a system that a step leaves alone makes no
/// cells of it.
std::string text_with(TomlValue document, const ExperimentSpec& spec,
                      const std::vector<const RobustStep*>& steps) {
  auto& table = std::get<TomlTable>(document.data);
  array_to_set(table, "fault").push_back(slow_fault(spec.base.cluster.workers));
  TomlArray& settings = array_to_set(table, kSettingKey);
  settings.push_back(setting_table(kAsWritten, {}));
  for (const RobustStep* step : steps) settings.push_back(setting_table(step->name, step->values));
  TomlArray& systems = array_to_set(table, "system");
  for (std::size_t i = 0; i < systems.size(); ++i) {
    TomlArray& names = array_to_set(table_to_set(std::get<TomlTable>(systems[i].data), "only"), "settings");
    names.push_back(text_value(kAsWritten));
    for (const RobustStep* step : steps) {
      if (takes(spec.systems[i], *step)) names.push_back(text_value(step->name));
    }
  }
  return to_toml(document);
}

/// Returns the message without its place, which lies in a text that nobody sees.
std::string reason_of(const InputError& error) {
  const std::string text = error.what();
  const std::size_t found = text.find("found ");
  return found == std::string::npos ? text : text.substr(found);
}

bool varies_workers(const ExperimentSpec& spec) {
  const auto is_it = [](const auto& one) { return one.key == "cluster.workers"; };
  return std::any_of(spec.sweeps.begin(), spec.sweeps.end(), is_it) ||
         std::any_of(spec.systems.begin(), spec.systems.end(), [&](const SystemSpec& system) {
           return std::any_of(system.overrides.begin(), system.overrides.end(), is_it);
         });
}

/// Refuses the step if that can be decided without planning.
void read_alone(const RobustPlan& plan, const TomlValue& document, const ExperimentSpec& spec,
                RobustStep& step) {
  const auto changes = [&](const SystemSpec& system) {
    const auto is_own = [&](const Assignment& value) { return sets(system, value); };
    return takes(system, step) && !std::all_of(step.values.begin(), step.values.end(), is_own);
  };
  if (std::none_of(spec.systems.begin(), spec.systems.end(), changes)) {
    step.why_not = "every system sets it for itself, or none has it";
  } else if (step.values.front().key.starts_with(std::string("fault.") + kSlowName) && varies_workers(spec)) {
    step.why_not = "cells differ in cluster.workers";
  } else {
    try {
      (void)parse_experiment(plan.file, text_with(document, spec, {&step}), {});
    } catch (const InputError& error) {
      step.why_not = reason_of(error);
    }
  }
}

/// Plans the first cell of each kind: only then may the experiment refuse a step, or skip it. Returns the
/// reason, or "".
std::string why_refused(CellFactory& factory, const std::vector<const Cell*>& cells) {
  std::set<std::tuple<std::size_t, std::size_t, std::size_t, std::vector<std::size_t>>> kinds;
  std::string skipped;
  bool runs = false;
  for (const Cell* cell : cells) {
    if (!kinds.emplace(cell->pipeline, cell->trace, cell->system, cell->swept).second) continue;
    try {
      const std::string why = factory.prepare(*cell).why;
      runs = runs || why.empty();
      if (!why.empty()) skipped = why;
    } catch (const InputError& error) {
      return reason_of(error);
    }
  }
  return runs ? "" : skipped;
}

std::vector<RobustStep*> taken(std::vector<RobustStep>& steps) {
  std::vector<RobustStep*> found;
  for (RobustStep& step : steps) {
    if (step.why_not.empty()) found.push_back(&step);
  }
  return found;
}

[[noreturn]] void refuse_budget(const ExperimentSpec& spec, const RobustPlan& plan, const RobustStep& first) {
  throw input_error(
      place_of(spec, "robustness.cells"),
      std::to_string(spec.robustness.cells) + ", with " + counted(plan.own_cells, "cell") +
          " as written and " + std::to_string(first.cells) + " for the first step, " + first.name,
      "at least " + std::to_string(plan.own_cells + first.cells) +
          " (--cells), or fewer workloads and systems (--set workload.pipelines=..., loads, traces)");
}

/// Counts the cells of the steps. Leaves out the steps that the experiment refuses, and all steps from the
/// first one on for which there is no room.
void take_steps(const ExperimentSpec& spec, const std::string& text, RobustPlan& plan) {
  const ExperimentSpec made = load_experiment(plan.file, text, {});
  CellFactory factory(made, build_id());
  const std::vector<RobustStep*> steps = taken(plan.steps);
  std::vector<std::vector<const Cell*>> cells(steps.size() + 1);
  for (const Cell& cell : factory.cells()) cells[cell.swept.front()].push_back(&cell);
  plan.own_cells = cells[0].size();
  const auto budget = static_cast<std::size_t>(spec.robustness.cells);
  std::size_t sum = plan.own_cells;
  bool is_over = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    RobustStep& step = *steps[i];
    step.cells = cells[i + 1].size();
    step.why_not = is_over ? "" : why_refused(factory, cells[i + 1]);
    if (!step.why_not.empty()) continue;
    is_over = is_over || sum + step.cells > budget;
    if (is_over && sum == plan.own_cells) refuse_budget(spec, plan, step);
    if (is_over)
      step.why_not = "beyond the budget of " + counted(budget, "cell") + " (--cells)";
    else
      sum += step.cells;
  }
  if (sum == plan.own_cells)
    throw input_error({spec.file, 0, kRobustnessKey}, "no step that this experiment can take",
                      "keys and values of `over` that it can");
}

/// Returns the reasons with the names of the steps that are not taken for them, each in the order of the
/// first.
std::vector<std::pair<std::string, std::string>> by_reason(const std::vector<RobustStep>& steps) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const RobustStep& step : steps) {
    if (step.why_not.empty()) continue;
    const auto is_it = [&](const auto& one) { return one.first == step.why_not; };
    const auto at = std::find_if(found.begin(), found.end(), is_it);
    if (at == found.end())
      found.emplace_back(step.why_not, step.name);
    else
      at->second += ", " + step.name;
  }
  return found;
}

void refuse_what_is_not_for_it(const ExperimentSpec& spec) {
  for (const Runtime runtime : spec.runtimes) {
    if (runtime != Runtime::kSimulated)
      throw input_error(place_of(spec, "runtime"), name_of(runtime), "simulated (--set runtime=simulated)");
  }
  if (spec.systems.size() < 2)
    throw input_error({spec.file, 0, "system"}, "one [[system]]", "two or more, whose order may turn");
  if (!spec.settings.empty())
    throw input_error(spec.settings.front().place, "a [[setting]]",
                      "an experiment without: harness robust makes settings of its own");
}

}  // namespace

std::vector<RobustStep> robust_steps(const ExperimentSpec& spec) {
  std::vector<RobustStep> steps;
  std::set<std::string> keys;
  for (const Assignment& one : spec.robustness.over) {
    steps.push_back(step_of(one));
    keys.insert(one.key);
  }
  if (!spec.robustness.standard) return steps;
  std::vector<RobustStep> standard = standard_steps(spec);
  std::erase_if(standard, [&](const RobustStep& step) { return keys.count(step.values.front().key) > 0; });
  std::move(standard.begin(), standard.end(), std::back_inserter(steps));
  return steps;
}

RobustPlan plan_robust(const std::string& file, const std::vector<std::string>& overrides) {
  if (parse_suite(file, read_file(file)))
    throw input_error({file, 0, "suite"}, "a suite", "an experiment, such as one of its own");
  const ExperimentSpec spec = load_experiment(file, overrides);
  refuse_what_is_not_for_it(spec);
  RobustPlan plan;
  const std::filesystem::path path(file);
  plan.file = (path.parent_path() / (path.stem().string() + "-robust.toml")).string();
  plan.steps = robust_steps(spec);
  TomlValue document = base_document(spec, overrides);
  const auto text_of_taken = [&] {
    const std::vector<RobustStep*> steps = taken(plan.steps);
    return text_with(document, spec, {steps.begin(), steps.end()});
  };
  for (RobustStep& step : plan.steps) read_alone(plan, document, spec, step);
  take_steps(spec, text_of_taken(), plan);
  TomlArray& left_out =
      array_to_set(table_to_set(std::get<TomlTable>(document.data), kRobustnessKey), kLeftOutKey);
  for (const auto& [why, names] : by_reason(plan.steps)) left_out.push_back(text_value(names + ": " + why));
  plan.text = text_of_taken();
  return plan;
}

}  // namespace harness
