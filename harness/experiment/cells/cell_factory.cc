#include "harness/experiment/cells/cell_factory.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <system_error>

#include "harness/core/param_error.h"
#include "harness/core/routes.h"
#include "harness/core/wording.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/experiment/cells/cell_checks.h"
#include "harness/experiment/cells/cell_profiles.h"
#include "harness/experiment/cells/cell_text.h"
#include "harness/experiment/cells/cluster_checks.h"
#include "harness/experiment/cells/planning_times.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/fault_reader.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/reading/unused_settings.h"
#include "harness/files/sha256.h"
#include "harness/serving/common_plans.h"
#include "harness/serving/sizing_planner.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_notes.h"
#include "workloads/catalogue/profile_set.h"
#include "workloads/streams/stream_arrivals.h"
#include "workloads/streams/trace_arrivals.h"
#include "workloads/trace_files/imported_trace.h"
#include "workloads/trace_files/trace_sources.h"

namespace harness {
namespace {

constexpr std::size_t kMaxConfigurations = 10'000;  // limit of the kept ones, of some 10 kB each

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

/// Returns the rate that the arrivals are scaled to (replayed as recorded: their mean) / reference capacity,
/// so that it is the same for all seeds; kNoValue if there is no reference.
double load_of_rate(const PreparedCell& cell) {
  if (cell.reference_rps <= 0) return kNoValue;
  return (cell.target_rps > 0 ? cell.target_rps : cell.offered_rps) / cell.reference_rps;
}

bool has_streams(const Settings& settings) { return settings.trace.shape == "streams"; }

std::vector<std::string> module_names(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const Module& module : pipeline.modules) names.push_back(module.name);
  return names;
}

/// Throws InputError if the measured part begins at or after the end of the load: nothing would be measured.
void check_measured_part(const ExperimentSpec& spec, const Settings& settings, double duration_s) {
  const int from_s = settings.requests.measure_from_s;
  if (from_s == 0 || from_s < duration_s) return;
  throw input_error(
      place_of(spec, "workload.measure_from_s"), std::to_string(from_s),
      "less than the " + text_of(duration_s) + " s that trace " + settings.trace.name + " lasts");
}

}  // namespace

CellFactory::CellFactory(const ExperimentSpec& spec, std::string build, int ranks)
    : spec_(spec), build_(std::move(build)), ranks_(ranks), remarks_(unused_settings(spec)) {
  for (const NamedAt& name : spec.workload.pipelines) {
    pipelines_.push_back(
        load_pipeline(name_or_path(spec, "pipeline", name.name, pipeline_names, name.place), name.place));
    pipeline_checksums_.push_back(sha256_of(pipeline_text(pipelines_.back())));
    for (std::size_t i = 0; i + 1 < pipelines_.size(); ++i) {
      if (pipelines_[i].name == pipelines_.back().name) {
        throw input_error(name.place, "two pipelines named " + pipelines_[i].name, "each name once");
      }
    }
  }
  cells_ = expand(spec, pipelines_);
  check_requests(spec, pipelines_);
  check_served(spec, pipelines_, cells_);
}

void CellFactory::prepare_traces() const {
  std::set<std::string> seen;
  for (const Cell& cell : cells_) {
    const Settings settings = settings_of(spec_, cell);
    if (!settings.trace.file.empty() && seen.insert(trace_text(settings)).second)
      prepare_trace(resolved_trace(settings));
  }
}

const ProfileSet& CellFactory::profiles(const Settings& settings) {
  const std::string& name = settings.cluster.profiles;
  const auto found = profile_sets_.find(name);
  if (found != profile_sets_.end()) return found->second;
  const InputPlace at = place_of_profiles(spec_, name);
  const std::string path =
      name_or_path(spec_, "set of profiles", name, profile_set_names, at, how_to_measure(spec_, settings));
  const ProfileSet& set = profile_sets_.emplace(name, load_profiles(path, at)).first->second;
  remark_on_profiles(set);
  return set;
}

TraceSpec CellFactory::resolved_trace(const Settings& settings) const {
  TraceSpec trace = settings.trace;
  if (!trace.file.empty()) trace.file = resolve_path(spec_.folder, trace.file);
  return trace;
}

TimeNs CellFactory::slo_of(const Cell& cell) {
  if (cell.slo_factor > 0) {
    const Settings& settings = configuration(cell, SettingsScope::kShared).settings;
    const std::string key = pipelines_[cell.pipeline].name + " " + settings.cluster.profiles + " " +
                            text_of(settings.cluster.profile_scale);
    auto service = services_.find(key);
    if (service == services_.end()) {
      RunSpec run;
      run.pipeline = pipelines_[cell.pipeline];
      add_profiles(spec_, settings, profiles(settings), run);
      service = services_.emplace(key, shortest_service_ns(run)).first;
    }
    return static_cast<TimeNs>(std::llround(cell.slo_factor * static_cast<double>(service->second)));
  }
  return cell.slo_ms > 0 ? ms_to_ns(cell.slo_ms) : pipelines_[cell.pipeline].slo_ns;
}

RunSpec CellFactory::world_of(const Cell& cell, const Settings& settings) {
  const ProfileSet& set = profiles(settings);
  RunSpec run;
  run.pipeline = pipelines_[cell.pipeline];
  if (settings.requests.fan_out_spread != FanOutSpread::kPipeline)
    run.pipeline.fixed_fan_out = settings.requests.fan_out_spread == FanOutSpread::kRounded;
  run.answers = settings.requests.answers;
  run.measured_from_ns = settings.requests.measure_from_s * kNsPerS;
  add_profiles(spec_, settings, set, run);
  for (const Module& module : run.pipeline.modules) {
    const auto fixed = settings.modules.find(module.name);
    run.module_overrides.push_back(fixed == settings.modules.end() ? ModuleOverride() : fixed->second);
  }
  check_settings(spec_, settings, run);
  run.slo_ns = slo_of(cell);
  run.workers = settings.cluster.workers;
  run.servers = servers_of(spec_, settings, run);
  run.seed = cell.seed;
  run.serving = settings.serving;
  run.planner = settings.planner;
  run.world = settings.world;
  run.faults = faults_that_happen(settings.faults);
  return run;
}

CellFactory::Configuration CellFactory::made_configuration(const Cell& cell, SettingsScope scope) {
  Configuration made;
  Settings& settings = made.settings;
  settings = scope == SettingsScope::kOwn ? settings_of(spec_, cell) : shared_settings_of(spec_, cell);
  if (scope == SettingsScope::kReference) {
    // Workers that follow the rate have no capacity before the rate is known: the whole cluster's counts.
    settings.planner.workers = WorkerRule::kBalanced;
    settings.planner.autoscale = false;
    settings.planner.initial_workers = 0;
  }
  const std::string trace = trace_text(settings);
  const auto [number, is_new] = trace_numbers_.emplace(trace, traces_.size());
  if (is_new) traces_.push_back(trace);
  made.trace = number->second;
  made.planning = planning_text(settings, module_names(pipelines_[cell.pipeline]));
  if (scope != SettingsScope::kOwn) return made;
  if (cell.runtime == Runtime::kGpu) {
    settings.live.payload = true;  // networks need their images
    check_servers_simulated(spec_, settings);
  }
  check_faults(settings.faults, settings.cluster.workers);
  made.frame = frame_of(cell, settings);
  return made;
}

CellFactory::Configuration& CellFactory::configuration(const Cell& cell, SettingsScope scope) {
  const std::size_t system = scope == SettingsScope::kOwn ? cell.system : 0;  // else it is of all systems
  const ConfigurationKey key{scope, cell.runtime, cell.pipeline, cell.trace, system, cell.swept};
  const auto found = configurations_.find(key);
  if (found != configurations_.end()) return found->second;
  return configurations_.emplace(key, made_configuration(cell, scope)).first->second;
}

/// Returns true unless the shared planner plans for the system. A system that it plans for has the same plan
/// whatever its own parameters are.
bool CellFactory::plans_itself(const Cell& cell, Configuration& own) {
  if (has_streams(own.settings) || !own.settings.planner.placement.empty()) return true;
  if (!own.plans_itself) {
    const SystemSpec& named = spec_.systems[cell.system];
    const auto plans = [&, run = world_of(cell, own.settings)](const System& system) {
      return system.traits().wants_sample ||
             planner_of(system, make_context(run), own.settings, named.place) != nullptr;
    };
    const std::unique_ptr<System> alone = make_one_system(named.name, own.settings);
    if (!named.planner.empty() && plans(*alone) && !alone->traits().plans_for_others)
      throw input_error(named.place,
                        named.name + ", which has a planner of its own, with planner = " + named.planner,
                        "a system that the shared planner plans for, or that plans for others");
    own.plans_itself = plans(*make_system(named.name, own.settings));
  }
  return *own.plans_itself;
}

const CellFactory::Planned& CellFactory::planned(const Cell& cell, SettingsScope scope, double offered_rps,
                                                 double target_rps) {
  Configuration& of = configuration(cell, scope);
  const Settings& settings = of.settings;
  const bool by_system = scope == SettingsScope::kOwn && plans_itself(cell, of);
  const bool by_rate = settings.planner.workers == WorkerRule::kRate || by_system;
  const std::unique_ptr<System> system =
      by_system ? make_system(spec_.systems[cell.system].name, settings) : nullptr;
  const SystemTraits traits = system ? system->traits() : SystemTraits{};
  const bool by_arrivals = has_streams(settings) || traits.wants_sample;
  const std::string key = pipelines_[cell.pipeline].name + " " + std::to_string(slo_of(cell)) + " " +
                          text_of(by_rate ? offered_rps : 0.0) + of.planning +
                          (by_system ? spec_.systems[cell.system].name + parameters_text(spec_, cell) : "") +
                          (by_arrivals ? arrivals_text(cell, of, cell.rate) : "");
  const auto found = plans_.find(key);
  if (found != plans_.end()) return found->second;
  RunSpec run = world_of(cell, settings);
  if (traits.plans_cores) check_cores(spec_.systems[cell.system], run);
  if (!run.planner.placement.empty()) {
    const SystemSpec& named = spec_.systems[cell.system];
    check_placement(spec_, named, *make_one_system(named.name, settings), run);
  }
  add_streams(cell, of, system.get(), run);
  add_sample(cell, of, traits, target_rps, run);
  const ServingContext context = make_context(run);
  Planned result;
  try {
    std::unique_ptr<Planner> planner;
    if (system && run.planner.placement.empty())
      planner = planner_of(*system, context, settings, spec_.systems[cell.system].place);
    if (!planner) planner = make_sizing_planner(context, run.planner, run.module_overrides);
    result.plan = start_of(run, planner->plan(0, initial_load(run, context, offered_rps), {}));
    check_group_count(result.plan.groups.size());
    settle_devices(run, result.plan);
    remark_on_batches(run, result.plan);
    result.capacity_rps = harness::capacity_rps(context, result.plan);
    result.why = why_not_held(run, result.plan);
  } catch (const ParamError&) {
    throw;
  } catch (const InputError& error) {
    result.why = error.what();
  }
  return plans_.emplace(key, std::move(result)).first->second;
}

const CellFactory::Offered& CellFactory::offered(const Configuration& of, double target_rps,
                                                 std::uint64_t seed) {
  const bool streams = has_streams(of.settings);
  const bool without_seed = streams || of.settings.trace.shape == "file";  // a population, a file: all seeds
  const OfferKey key{of.trace, target_rps, without_seed ? 0 : seed};
  const auto found = offers_.find(key);
  if (found != offers_.end()) return found->second;
  const TraceSpec trace = resolved_trace(of.settings);
  check_trace(trace);
  Offered load;
  if (streams) {
    load.population = std::make_shared<const StreamPopulation>(trace, target_rps);
    load.requests = load.population->expected_requests();
    load.duration_s = trace.duration_s > 0 ? trace.duration_s : ns_to_s(load.population->duration_ns());
    load.notes.remarks = load.population->remarks();
  } else {
    if (trace.shape == "file") checksum_of(trace);
    const std::unique_ptr<ArrivalSource> arrivals = make_arrivals(trace, target_rps, seed, &load.notes);
    load.requests = arrivals->expected_requests();
    load.duration_s = ns_to_s(arrivals->duration_ns());
  }
  for (const std::string& remark : load.notes.remarks) {
    const bool warns = streams || &remark != load.notes.remarks.data();
    add_remark((warns ? "warning: trace " : "trace ") + trace.name + ": " + remark);
  }
  return offers_.emplace(key, std::move(load)).first->second;
}

void CellFactory::add_streams(const Cell& cell, const Configuration& of, const System* system, RunSpec& run) {
  if (!has_streams(of.settings)) return;
  const Offered& load = offered(of, cell.rate, cell.seed);
  run.streams = streams_of(*load.population, run.pipeline, slo_of(cell));
  run.slo_ns = 0;
  for (const Stream& stream : run.streams) run.slo_ns = std::max(run.slo_ns, stream.slo_ns);
  if (system == nullptr || !system->traits().wants_peaks) return;
  const TimeNs period_ns = system->replan_period_ns(make_context(run));
  const std::string key = arrivals_text(cell, of, cell.rate) + "\n" + std::to_string(period_ns);
  auto peak = peaks_.find(key);
  if (peak == peaks_.end()) {
    constexpr double kMaxRequests = 2e8;  // a minute
    if (load.requests > kMaxRequests)
      throw input_error(place_of(spec_, "workload.duration_s"),
                        text_of(load.requests) + " requests of trace " + of.settings.trace.name +
                            ", whose peaks " + spec_.systems[cell.system].name + " plans for",
                        "at most " + text_of(kMaxRequests));
    const auto arrivals = make_stream_arrivals(load.population, cell.seed);
    peak =
        peaks_.emplace(key, peak_rps(*arrivals, run.streams, run.pipeline.modules.size(), period_ns)).first;
  }
  run.peak_rps = peak->second;
}

void CellFactory::add_sample(const Cell& cell, const Configuration& of, const SystemTraits& traits,
                             double target_rps, RunSpec& run) {
  if (!traits.wants_sample) return;
  const std::string key = arrivals_text(cell, of, target_rps) + (traits.wants_foresight ? "\nrun" : "");
  if (samples_.count(key) == 0) {
    if (samples_.size() >= 4) samples_.clear();  // as many are kept
    PlanningLoad load{resolved_trace(of.settings), nullptr, target_rps, cell.seed};
    if (has_streams(of.settings)) load.population = offered(of, target_rps, cell.seed).population;
    samples_.emplace(key, std::make_shared<const PlanningTimes>(planning_times(
                              load, traits.wants_foresight, place_of(spec_, "workload.duration_s"))));
  }
  run.planning = samples_.at(key);
}

std::string CellFactory::arrivals_text(const Cell& cell, const Configuration& of, double target_rps) {
  std::string text = text_of(target_rps) + " " + std::to_string(cell.seed) + traces_[of.trace];
  if (has_streams(of.settings))
    text += "\n" + pipelines_[cell.pipeline].name + " " + std::to_string(slo_of(cell));
  return text;
}

double CellFactory::best_capacity(const Cell& cell) {
  Configuration& of = configuration(cell, SettingsScope::kShared);
  const double key = has_streams(of.settings) ? cell.rate : 0;
  const auto found = of.best_capacity.find(key);
  if (found != of.best_capacity.end()) return found->second;
  RunSpec run = world_of(cell, of.settings);
  add_streams(cell, of, nullptr, run);
  const double capacity_rps =
      run.devices.size() > 1 ? capacity_of_kinds_rps(run) : best_capacity_rps(make_context(run));
  return of.best_capacity.emplace(key, capacity_rps).first->second;
}

void CellFactory::refer_to(const Planned& plan, const Cell& cell, PreparedCell& prepared) {
  prepared.reference_rps = plan.capacity_rps;
  if (configuration(cell, SettingsScope::kShared).settings.planner.workers == WorkerRule::kBalanced)
    prepared.overload_rps = plan.capacity_rps;
}

void CellFactory::find_target(const Cell& cell, PreparedCell& prepared) {
  const bool is_tree = pipelines_[cell.pipeline].has_tasks();
  if (spec_.workload.rates_rps.empty() && is_tree) {
    prepared.reference_rps = best_capacity(cell);
    prepared.target_rps = cell.rate * prepared.reference_rps;
    return;
  }
  if (spec_.workload.rates_rps.empty()) {
    const Planned& plan = planned(cell, SettingsScope::kReference, 0);
    prepared.why = plan.why;
    refer_to(plan, cell, prepared);
    prepared.target_rps = cell.rate * plan.capacity_rps;
    return;
  }
  prepared.target_rps = cell.rate;
  if (spec_.base.devices.size() > 1) {
    prepared.reference_rps = best_capacity(cell);
    return;
  }
  try {
    const bool by_best = is_tree || has_streams(configuration(cell, SettingsScope::kShared).settings);
    if (by_best)
      prepared.reference_rps = best_capacity(cell);
    else
      refer_to(planned(cell, SettingsScope::kReference, 0), cell, prepared);
  } catch (const InputError&) {
    // Shared settings that no system uses as they are: the rates are known without them.
  }
}

CellTextTemplate CellFactory::frame_of(const Cell& cell, const Settings& settings) const {
  const SystemSpec& system = spec_.systems[cell.system];
  CellNames names;
  names.runtime = cell.runtime;
  names.cell_limit_s = spec_.cell_limit_s;
  names.faults = fault_tables(faults_that_happen(settings.faults));
  names.pipeline = spec_.workload.pipelines[cell.pipeline].name;
  names.has_tasks = pipelines_[cell.pipeline].has_tasks();
  names.system = system.name;
  names.library = system.library;
  names.variant = system.variant;
  return cell_frame(settings, names, module_names(pipelines_[cell.pipeline]));
}

std::string CellFactory::text_of_cell(const Cell& cell, double target_rps, bool known) {
  Configuration& own = configuration(cell, SettingsScope::kOwn);
  if (own.checksums.empty()) {
    const TraceSpec trace = resolved_trace(own.settings);
    own.checksums = checksums(cell);
    if (!trace.file.empty()) own.checksums += "# trace " + checksum_of(trace) + "\n";
    if (const LoadedLibrary* const library = library_of(spec_.systems[cell.system].name))
      own.checksums += "# library " + library->checksum + "\n";
  }
  const std::string rate =
      known ? "rates_rps = [" + text_of(target_rps) + "]" : "loads = [" + text_of(cell.rate) + "]";
  const CellRecord record{spec_.rows.has(cell.index), spec_.states.has(cell.index),
                          spec_.replay.has(cell.index)};
  return cell_text(own.frame, rate, cell.seed, ns_to_ms(slo_of(cell)), record) + "\n# cell " +
         std::to_string(cell.index) + "\n" + own.checksums;
}

const std::string& CellFactory::checksum_of(const TraceSpec& trace) {
  const auto known = trace_checksums_.find(trace.file);
  // Streams are made once; a load is read for every run.
  if (known != trace_checksums_.end() && trace.shape != "file") return known->second;
  const std::string now = trace.shape == "file" ? recorded_trace(trace)->checksum : trace_checksum(trace);
  const std::string& first = trace_checksums_.try_emplace(trace.file, now).first->second;
  if (now != first)
    throw input_error(place_of_field(trace, "file"), trace.file + ", which has changed since it was read",
                      "a file that stays as it is while the experiment runs");
  return first;
}

std::string CellFactory::checksums(const Cell& cell) {
  return "# pipeline " + pipeline_checksums_[cell.pipeline] + "\n# profiles " +
         profiles(configuration(cell, SettingsScope::kOwn).settings).checksum + "\n";
}

void CellFactory::remark_on_short_load(const std::string& trace, const PreparedCell& cell) {
  if (cell.expected_requests <= 0 || cell.duration_s >= ns_to_s(cell.slo_ns)) return;
  add_remark("warning: trace " + trace + " lasts " + text_of(cell.duration_s) + " s, less than the SLO of " +
             text_of(ns_to_ms(cell.slo_ns)) +
             " ms: rates (goodput_rps, load) are more than the workers complete in a second");
}

void CellFactory::remark_on_profiles(const ProfileSet& set) {
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

void CellFactory::remark_on_batches(const RunSpec& run, const Plan& plan) {
  for (std::size_t m = 0; m < run.profiles.size(); ++m) {
    const int batch = plan.modules[m].max_batch;
    const std::string note = unmeasured_batch(run.profiles[m], batch);
    if (!note.empty())
      add_remark("warning: " + run.pipeline.name + ": " + run.pipeline.modules[m].name +
                 " is planned with batches of up to " + std::to_string(batch) + ": " + note);
  }
}

void CellFactory::add_remark(std::string line) {
  if (std::find(remarks_.begin(), remarks_.end(), line) == remarks_.end())
    remarks_.push_back(std::move(line));
}

PreparedCell CellFactory::prepare(const Cell& cell) {
  if (configurations_.size() > kMaxConfigurations) configurations_.clear();
  const Configuration& own = configuration(cell, SettingsScope::kOwn);
  const Settings& settings = own.settings;
  PreparedCell prepared;
  prepared.module_names = module_names(pipelines_[cell.pipeline]);
  prepared.cell = cell;
  prepared.slo_ns = slo_of(cell);
  find_target(cell, prepared);
  if (pipelines_[cell.pipeline].has_tasks() && is_live(prepared) && settings.live.payload)
    prepared.why = "in task trees no images are brought to workers yet: no runtime = gpu, no live.payload";
  const bool known = prepared.why.empty();
  if (known) {
    const Offered& load = offered(own, prepared.target_rps, cell.seed);
    prepared.arrivals_text = arrivals_text(cell, own, prepared.target_rps);
    prepared.expected_requests = load.requests;
    prepared.duration_s = load.duration_s;
    check_measured_part(spec_, settings, load.duration_s);
    prepared.recorded_peak_over_mean = load.notes.recorded_peak_over_mean;
    prepared.sent_peak_over_mean = load.notes.sent_peak_over_mean;
    const Pipeline& pipeline = pipelines_[cell.pipeline];
    if (!pipeline.independent && !pipeline.has_tasks()) {
      const std::vector<double> visits = visit_probabilities(pipeline);
      prepared.visits_per_request = std::accumulate(visits.begin(), visits.end(), 0.0);
    }
    prepared.offered_rps = load.duration_s > 0 ? load.requests / load.duration_s : 0;
    if (settings.trace.shape == "file") remark_on_short_load(settings.trace.name, prepared);
    const Planned& plan = planned(cell, SettingsScope::kOwn, prepared.offered_rps, prepared.target_rps);
    prepared.why =
        load.requests > 0 ? plan.why : "trace " + settings.trace.name + " has no request in its window";
    prepared.plan = plan.plan;
    prepared.plan_is_shared = !plans_itself(cell, configuration(cell, SettingsScope::kOwn));
    prepared.capacity_rps = plan.capacity_rps;
    if (settings.planner.initial_workers > 0 && plan.why.empty()) {
      RunSpec run = make_world(cell);
      add_sample(cell, own, run.system->traits(), prepared.target_rps, run);
      check_plans_again(spec_, spec_.systems[cell.system].name, run, plan.plan);
    }
  }
  CellIdentity& identity = prepared.identity = identity_of(spec_, cell, pipelines_[cell.pipeline]);
  identity.load = spec_.workload.rates_rps.empty() ? cell.rate : load_of_rate(prepared);
  if (pipelines_[cell.pipeline].has_tasks()) identity.answers = name_of(settings.requests.answers);
  identity.effective_toml = text_of_cell(cell, prepared.target_rps, known);
  if (is_live(prepared))
    identity.effective_toml += "# on " + std::to_string(ranks_) + (ranks_ == 1 ? " rank\n" : " ranks\n");
  identity.input_hash = input_hash_of(identity.effective_toml, build_);
  prepared.settings = settings;
  return prepared;
}

RunSpec CellFactory::make_world(const Cell& cell) {
  const Configuration& own = configuration(cell, SettingsScope::kOwn);
  const Settings& settings = own.settings;
  RunSpec run = world_of(cell, settings);
  run.system = make_system(spec_.systems[cell.system].name, settings);
  add_streams(cell, own, run.system.get(), run);
  const auto takes_lengths = [](const Profile& profile) { return profile.shared.lengths_from_trace; };
  if (std::any_of(run.profiles.begin(), run.profiles.end(), takes_lengths))
    run.trace_tokens = std::make_shared<const TraceTokens>(recorded_tokens(resolved_trace(settings)));
  run.record_states = spec_.states.has(cell.index);
  run.record_replay = spec_.replay.has(cell.index);
  return run;
}

RunSpec CellFactory::make_run(const PreparedCell& prepared) {
  const std::uint64_t seed = prepared.cell.seed;
  RunSpec run = make_world(prepared.cell);
  settle_devices(run, prepared.plan);
  add_sample(prepared.cell, configuration(prepared.cell, SettingsScope::kOwn), run.system->traits(),
             prepared.target_rps, run);
  const TraceSpec trace = resolved_trace(prepared.settings);
  if (!trace.file.empty()) checksum_of(trace);
  const std::shared_ptr<const StreamPopulation>& population =
      offered(configuration(prepared.cell, SettingsScope::kOwn), prepared.target_rps, seed).population;
  run.arrivals =
      population ? make_stream_arrivals(population, seed) : make_arrivals(trace, prepared.target_rps, seed);
  return run;
}

}  // namespace harness
