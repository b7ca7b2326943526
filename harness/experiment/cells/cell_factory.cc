#include "harness/experiment/cells/cell_factory.h"

#include <numeric>
#include <set>

#include "harness/core/routes.h"
#include "harness/experiment/cells/cell_checks.h"
#include "harness/experiment/cells/cell_text.h"
#include "harness/experiment/reading/known_systems.h"
#include "workloads/trace_files/imported_trace.h"

namespace harness {
namespace {

/// Returns the rate that the arrivals are scaled to (replayed as recorded: their mean) / reference capacity,
/// so that it is the same for all seeds; kNoValue if there is no reference.
double load_of_rate(const PreparedCell& cell) {
  if (cell.reference_rps <= 0) return kNoValue;
  return (cell.target_rps > 0 ? cell.target_rps : cell.offered_rps) / cell.reference_rps;
}

/// Throws InputError if the measured part begins at or after the end of the load: nothing would be measured.
void check_measured_part(const ExperimentSpec& spec, const Settings& settings, double duration_s) {
  const int from_s = settings.requests.measure_from_s;
  if (from_s == 0 || from_s < duration_s) return;
  throw input_error(
      place_of(spec, "workload.measure_from_s"), std::to_string(from_s),
      "less than the " + text_of(duration_s) + " s that trace " + settings.trace.name + " lasts");
}

/// Adds a remark if a recorded load is shorter than the SLO, so that its rates could not go on.
void remark_on_short_load(LoadedInputs& inputs, const TraceSpec& trace, const PreparedCell& cell) {
  if (trace.shape != "file" || cell.expected_requests <= 0 || cell.duration_s >= ns_to_s(cell.slo_ns)) return;
  inputs.add_remark("warning: trace " + trace.name + " lasts " + text_of(cell.duration_s) +
                    " s, less than the SLO of " + text_of(ns_to_ms(cell.slo_ns)) +
                    " ms: rates (goodput_rps, load) are more than the workers complete in a second");
}

}  // namespace

CellFactory::CellFactory(const ExperimentSpec& spec, std::string build, int ranks)
    : build_(std::move(build)), ranks_(ranks), inputs_(spec), cells_(expand(spec, inputs_.pipelines())) {
  check_requests(spec, inputs_.pipelines());
  check_served(spec, inputs_.pipelines(), cells_);
}

void CellFactory::prepare_traces() const {
  std::set<std::string> seen;
  for (const Cell& cell : cells_) {
    const Settings settings = settings_of(inputs_.spec, cell);
    if (!settings.trace.file.empty() && seen.insert(trace_text(settings)).second)
      prepare_trace(inputs_.trace(settings));
  }
}

std::string CellFactory::checksums(const Cell& cell) {
  return checksums_of(resolver_.of(cell, SettingsScope::kOwn));
}

std::string CellFactory::checksums_of(const ResolvedCell& own) {
  return "# pipeline " + inputs_.pipeline_checksum(own.cell.pipeline) + "\n# profiles " +
         inputs_.profiles(own.settings).checksum + "\n";
}

CellIdentity CellFactory::identity(const ResolvedCell& own, const PreparedCell& prepared, bool has_target) {
  const ExperimentSpec& spec = inputs_.spec;
  const Cell& cell = own.cell;
  CellIdentity identity = identity_of(spec, cell, own.pipeline);
  identity.load = spec.workload.rates_rps.empty() ? cell.rate : load_of_rate(prepared);
  if (own.pipeline.has_tasks()) identity.answers = name_of(own.settings.requests.answers);
  const std::string rate = has_target ? "rates_rps = [" + text_of(prepared.target_rps) + "]"
                                      : "loads = [" + text_of(cell.rate) + "]";
  std::string& text = identity.effective_toml;
  text = cell_text(own.common.frame, spec, cell, rate, ns_to_ms(own.slo_ns)) + "\n# cell " +
         std::to_string(cell.index) + "\n" + checksums_of(own);
  if (!own.settings.trace.file.empty())
    text += "# trace " + inputs_.checksum_of(inputs_.trace(own.settings)) + "\n";
  if (const LoadedLibrary* const library = library_of(spec.systems[cell.system].name))
    text += "# library " + library->checksum + "\n";
  if (!prepared.settings.server.body_file.empty())
    text +=
        "# body " + sha256_of_file(prepared.settings.server.body_file, {"", 0, "server.body_file"}) + "\n";
  if (is_live(prepared)) text += "# on " + std::to_string(ranks_) + (ranks_ == 1 ? " rank\n" : " ranks\n");
  identity.input_hash = input_hash_of(text, build_);
  return identity;
}

PreparedCell CellFactory::prepare(const Cell& cell) {
  resolver_.limit();
  const ResolvedCell own = resolver_.of(cell, SettingsScope::kOwn);
  const LoadReference reference = references_.of(own);
  PreparedCell prepared;
  prepared.module_names = module_names(own.pipeline);
  prepared.cell = cell;
  prepared.settings = own.settings;
  if (std::string& body = prepared.settings.server.body_file; cell.runtime != Runtime::kServer)
    body.clear();
  else if (!body.empty())
    body = resolve_path(inputs_.spec.folder, body);
  prepared.slo_ns = own.slo_ns;
  prepared.reference_rps = reference.capacity_rps;
  prepared.overload_rps = reference.overload_rps;
  prepared.target_rps = reference.target_rps;
  prepared.why = reference.why;
  if (own.pipeline.has_tasks() && is_live(prepared) && own.settings.live.payload)
    prepared.why = "in task trees no images are brought to workers yet: no runtime = gpu, no live.payload";
  const bool has_target = prepared.why.empty();
  if (has_target) {
    const OfferedLoad& load = offered_.of(own, reference.target_rps);
    prepared.arrivals_text = arrivals_text(own, reference.target_rps);
    prepared.expected_requests = load.requests;
    prepared.duration_s = load.duration_s;
    prepared.offered_rps = load.duration_s > 0 ? load.requests / load.duration_s : 0;
    prepared.recorded_peak_over_mean = load.notes.recorded_peak_over_mean;
    prepared.sent_peak_over_mean = load.notes.sent_peak_over_mean;
    check_measured_part(inputs_.spec, own.settings, load.duration_s);
    remark_on_short_load(inputs_, own.settings.trace, prepared);
    if (!own.pipeline.independent && !own.pipeline.has_tasks()) {
      const std::vector<double> visits = visit_probabilities(own.pipeline);
      prepared.visits_per_request = std::accumulate(visits.begin(), visits.end(), 0.0);
    }
    const CellPlan& plan = plans_.of(own, prepared.offered_rps, reference.target_rps);
    prepared.why =
        load.requests > 0 ? plan.why : "trace " + own.settings.trace.name + " has no request in its window";
    prepared.plan = plan.plan;
    prepared.plan_is_shared = plan.is_shared;
    prepared.capacity_rps = plan.capacity_rps;
    if (own.settings.planner.initial_workers > 0 && plan.why.empty()) {
      RunSpec run = runs_.world(own);
      runs_.add_sample(own, reference.target_rps, run);
      check_plans_again(inputs_.spec, inputs_.spec.systems[cell.system].name, run, plan.plan);
    }
  }
  prepared.identity = identity(own, prepared, has_target);
  return prepared;
}

RunSpec CellFactory::make_run(const PreparedCell& prepared) {
  return runs_.run(resolver_.of(prepared.cell, SettingsScope::kOwn), prepared);
}

}  // namespace harness
