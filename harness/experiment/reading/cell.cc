#include "harness/experiment/reading/cell.h"

#include <algorithm>

#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/reading/system_reader.h"
#include "harness/record/run/series.h"

namespace harness {
namespace {

bool has_module(const Pipeline& pipeline, const std::string& name) {
  return std::any_of(pipeline.modules.begin(), pipeline.modules.end(),
                     [&](const Module& module) { return module.name == name; });
}

void check_modules(const ExperimentSpec& spec, const std::vector<Pipeline>& pipelines) {
  std::vector<std::pair<std::string, InputPlace>> used;
  for (const auto& [key, place] : spec.places) used.emplace_back(key, place);
  for (const SweepAxis& axis : spec.sweeps) used.emplace_back(axis.key, axis.place);
  for (const SystemSpec& system : spec.systems) {
    for (const Assignment& assignment : system.overrides) used.emplace_back(assignment.key, assignment.place);
  }
  std::vector<std::string> known;
  for (const Pipeline& pipeline : pipelines) {
    for (const Module& module : pipeline.modules) {
      if (std::find(known.begin(), known.end(), module.name) == known.end()) known.push_back(module.name);
    }
  }
  for (const auto& [key, place] : used) {
    if (section_of(key) != "module") continue;
    const std::string name = member_of_section(key);
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw_unknown(place, "module", name, known);
  }
}

/// Returns true if the key concerns simulated links and schedulers, which a live cell replaces by real ones.
bool of_simulated_world(const std::string& key) {
  return key == "cluster.network_delay_ms" || key == "cluster.scheduler_cost" ||
         key == "cluster.scheduler_cost_us" || key == "cluster.scheduler_queue_limit_ms" ||
         key == "serving.state_delay_ms";
}

/// Returns true if the axis multiplies cells such as this one.
bool concerns(const ExperimentSpec& spec, const SweepAxis& axis, const Pipeline& pipeline, const Cell& cell) {
  const std::string section = section_of(axis.key);
  const std::string member = member_of_section(axis.key);
  if (section == "trace") return spec.workload.traces[cell.trace].name == member;
  if (section == kWorkload)
    return pipeline.has_tasks() || !RequestParams::is_of_trees(axis.key.substr(section.size() + 1));
  if (section == "module") return has_module(pipeline, member);
  if (section == "live") return cell.runtime != Runtime::kSimulated;
  if (section == "gpu") return cell.runtime == Runtime::kGpu;
  if (section == "server") return cell.runtime == Runtime::kServer;
  if (of_simulated_world(axis.key)) return cell.runtime == Runtime::kSimulated;
  if (known_system(section) != nullptr) return is_of(section, spec.systems[cell.system]);
  return true;
}

bool of_system(const SweepAxis& axis) { return known_system(section_of(axis.key)) != nullptr; }

const NamedSetting* setting_of(const ExperimentSpec& spec, const Cell& cell) {
  return spec.settings.empty() || cell.swept.front() == kNotSwept ? nullptr
                                                                  : &spec.settings[cell.swept.front()];
}

class Expansion {
 public:
  Expansion(const ExperimentSpec& spec, const std::vector<Pipeline>& pipelines)
      : spec_(spec), pipelines_(pipelines) {}

  std::vector<Cell> run() {
    add_seeds(spec_.workload.seeds);
    // Cells keep their numbers when seeds are added.
    for (const std::uint64_t seed : spec_.workload.added_seeds) add_seeds({seed});
    return std::move(cells_);
  }

 private:
  void add_seeds(const std::vector<std::uint64_t>& seeds) {
    Cell cell;
    cell.swept.assign(spec_.sweeps.size(), kNotSwept);
    for (const Runtime runtime : spec_.runtimes) {
      cell.runtime = runtime;
      add_workloads(cell, seeds);
    }
  }

  void add_workloads(Cell& cell, const std::vector<std::uint64_t>& seeds) {
    const WorkloadSpec& workload = spec_.workload;
    const std::vector<double>& rates = workload.rates_rps.empty() ? workload.loads : workload.rates_rps;
    const bool by_factor = !workload.slo_factors.empty();
    std::vector<double> slos = by_factor ? workload.slo_factors : workload.slo_ms;
    if (slos.empty()) slos = {0};
    for (cell.pipeline = 0; cell.pipeline < workload.pipelines.size(); ++cell.pipeline) {
      for (cell.trace = 0; cell.trace < workload.traces.size(); ++cell.trace) {
        if (!has_system(cell)) continue;  // else many combinations might make no cell
        for (const double slo : slos) {
          for (const double rate : rates) {
            for (const std::uint64_t seed : seeds) {
              (by_factor ? cell.slo_factor : cell.slo_ms) = slo;
              cell.rate = rate;
              cell.seed = seed;
              sweep(cell, 0, false);
            }
          }
        }
      }
    }
  }

  void sweep(Cell& cell, std::size_t axis, bool own) {
    if (axis == spec_.sweeps.size()) {
      if (own)
        add(cell);
      else
        add_systems(cell);
      return;
    }
    const SweepAxis& sweep_axis = spec_.sweeps[axis];
    if (of_system(sweep_axis) != own || !concerns(spec_, sweep_axis, pipelines_[cell.pipeline], cell)) {
      sweep(cell, axis + 1, own);
      return;
    }
    for (std::size_t value = 0; value < sweep_axis.values.size(); ++value) {
      cell.swept[axis] = value;
      sweep(cell, axis + 1, own);
    }
    cell.swept[axis] = kNotSwept;
  }

  bool has_system(const Cell& cell) const {
    return std::any_of(spec_.systems.begin(), spec_.systems.end(), [&](const SystemSpec& system) {
      return makes_cells(system, spec_.workload.pipelines[cell.pipeline].name,
                         spec_.workload.traces[cell.trace].name);
    });
  }

  void add_systems(Cell& cell) {
    const std::string& pipeline = spec_.workload.pipelines[cell.pipeline].name;
    const std::string& trace = spec_.workload.traces[cell.trace].name;
    const NamedSetting* setting = setting_of(spec_, cell);
    for (cell.system = 0; cell.system < spec_.systems.size(); ++cell.system) {
      const SystemSpec& system = spec_.systems[cell.system];
      if (setting != nullptr && !makes_cells_in(system, setting->name)) continue;
      if (makes_cells(system, pipeline, trace)) sweep(cell, 0, true);
    }
    cell.system = 0;
  }

  void add(const Cell& cell) {
    if (cells_.size() == kMaxCells) {
      throw input_error({spec_.file, 0, "cells"}, "more than " + std::to_string(kMaxCells),
                        "at most " + std::to_string(kMaxCells) + " combinations of all axes");
    }
    cells_.push_back(cell);
    cells_.back().index = static_cast<std::uint32_t>(cells_.size() - 1);
    if (const NamedSetting* setting = setting_of(spec_, cell); setting != nullptr && setting->load)
      cells_.back().rate = *setting->load;
    if (spec_.workload.rates_per_worker)
      cells_.back().rate *= shared_settings_of(spec_, cell).cluster.workers;
  }

  const ExperimentSpec& spec_;
  const std::vector<Pipeline>& pipelines_;
  std::vector<Cell> cells_;
};

Assignment assignment_of(const SweepAxis& axis, std::size_t value) {
  return {axis.key, axis.values[value], axis.place};
}

Settings settings_with(const ExperimentSpec& spec, const Cell& cell, bool own) {
  Settings settings = spec.base;
  settings.trace = spec.traces.at(spec.workload.traces[cell.trace].name);
  const NamedSetting* setting = setting_of(spec, cell);
  for (std::size_t i = 0; setting != nullptr && i < setting->values.size(); ++i) {
    const Assignment& value = setting->values[i];
    if (own || known_system(section_of(value.key)) == nullptr) assign(settings, value);
  }
  if (own) {
    settings.planner_system = spec.systems[cell.system].planner;
    for (const Assignment& assignment : spec.systems[cell.system].overrides) assign(settings, assignment);
  }
  for (std::size_t axis = 0; axis < spec.sweeps.size(); ++axis) {
    if (cell.swept[axis] == kNotSwept || spec.sweeps[axis].key == kSettingKey) continue;
    if (!own && of_system(spec.sweeps[axis])) continue;
    assign(settings, assignment_of(spec.sweeps[axis], cell.swept[axis]));
  }
  if (cell.runtime != Runtime::kSimulated) {
    settings.world.network_delay_ms = 0;
    settings.serving.state_delay_ms = 0;
    settings.world.scheduler_cost = SchedulerCost::kFree;
    settings.world.scheduler_queue_limit_ms = 0;
  }
  if (cell.runtime == Runtime::kGpu) settings.world.jitter = Jitter::kOff;
  return settings;
}

void add_parameter(std::string& text, const std::string& key, const ParamValue& value) {
  text += (text.empty() ? "" : " ") + key + "=" + text_of(value);
}

/// Adds the axis with the cell's value on it, if its cells are multiplied by that.
void add_swept(std::string& text, const ExperimentSpec& spec, const Cell& cell, std::size_t axis) {
  const SweepAxis& swept = spec.sweeps[axis];
  if (cell.swept[axis] != kNotSwept) add_parameter(text, swept.key, swept.values[cell.swept[axis]]);
}

/// Returns the load or rate as the experiment gives it: no number that a build computes.
std::string offered_text(const ExperimentSpec& spec, const Cell& cell) {
  if (spec.workload.rates_rps.empty()) return "load " + text_of(cell.rate);
  return cell.rate == 0 ? "as recorded" : text_of(cell.rate) + " requests/s";
}

std::string slo_text(const Cell& cell, const Pipeline& pipeline) {
  if (cell.slo_factor > 0) return "slo_factor " + text_of(cell.slo_factor);
  return "slo " + text_of(cell.slo_ms > 0 ? cell.slo_ms : ns_to_ms(pipeline.slo_ns)) + " ms";
}

}  // namespace

std::vector<Cell> expand(const ExperimentSpec& spec, const std::vector<Pipeline>& pipelines) {
  check_modules(spec, pipelines);
  std::vector<Cell> cells = Expansion(spec, pipelines).run();
  const auto check = [&](const char* key, const ExperimentSpec::KeptBy& kept) {
    for (const std::uint32_t cell : kept.cells) {
      if (cell >= cells.size())
        throw input_error(place_of(spec, key), "cell " + std::to_string(cell),
                          "0 to " + std::to_string(cells.size() - 1) + ", as --dry-run numbers them");
    }
  };
  check("record.rows", spec.rows);
  check("record.states", spec.states);
  check("record.replay", spec.replay);
  return cells;
}

Settings settings_of(const ExperimentSpec& spec, const Cell& cell) { return settings_with(spec, cell, true); }

Settings shared_settings_of(const ExperimentSpec& spec, const Cell& cell) {
  return settings_with(spec, cell, false);
}

std::string parameters_text(const ExperimentSpec& spec, const Cell& cell) {
  std::string text;
  const SystemSpec& system = spec.systems[cell.system];
  if (!system.planner.empty()) add_parameter(text, kPlannerKey, system.planner);
  for (const Assignment& assignment : system.overrides) add_parameter(text, assignment.key, assignment.value);
  for (std::size_t axis = 0; axis < spec.sweeps.size(); ++axis) add_swept(text, spec, cell, axis);
  return text;
}

CellIdentity identity_of(const ExperimentSpec& spec, const Cell& cell, const Pipeline& pipeline) {
  const SystemSpec& system = spec.systems[cell.system];
  CellIdentity identity;
  identity.index = cell.index;
  identity.system = system.name;
  identity.variant = system.variant;
  identity.pipeline = pipeline.name;
  identity.trace = spec.workload.traces[cell.trace].name;
  identity.seed = cell.seed;
  identity.runtime = name_of(cell.runtime);
  identity.parameters = parameters_text(spec, cell);
  std::string own;
  std::string shared;
  for (std::size_t axis = 0; axis < spec.sweeps.size(); ++axis)
    add_swept(of_system(spec.sweeps[axis]) ? own : shared, spec, cell, axis);
  identity.series = series_text(identity, own);
  identity.workload = workload_text(identity, offered_text(spec, cell), slo_text(cell, pipeline), shared);
  return identity;
}

std::size_t cells_with_seeds(const ExperimentSpec& spec, std::span<const Cell> cells, std::size_t seeds) {
  const std::size_t listed = spec.workload.seeds.size();
  if (seeds >= listed + spec.workload.added_seeds.size()) return cells.size();
  const std::uint64_t next = spec.workload.added_seeds[seeds - listed];
  const auto first =
      std::find_if(cells.begin(), cells.end(), [next](const Cell& cell) { return cell.seed == next; });
  return static_cast<std::size_t>(first - cells.begin());
}

}  // namespace harness
