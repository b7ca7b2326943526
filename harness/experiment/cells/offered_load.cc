#include "harness/experiment/cells/offered_load.h"

#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

OfferedLoad made_load(const ResolvedCell& cell, double target_rps) {
  const TraceSpec trace = cell.inputs.trace(cell.settings);
  check_trace(trace);
  OfferedLoad load;
  if (has_streams(cell.settings)) {
    load.population = std::make_shared<const StreamPopulation>(trace, target_rps);
    load.requests = load.population->expected_requests();
    load.duration_s = trace.duration_s > 0 ? trace.duration_s : ns_to_s(load.population->duration_ns());
    load.notes.remarks = load.population->remarks();
  } else {
    cell.inputs.check_unchanged(trace);
    const std::unique_ptr<ArrivalSource> arrivals =
        make_arrivals(trace, target_rps, cell.cell.seed, &load.notes);
    load.requests = arrivals->expected_requests();
    load.duration_s = ns_to_s(arrivals->duration_ns());
  }
  for (const std::string& remark : load.notes.remarks) {
    const bool warns = load.population != nullptr || &remark != load.notes.remarks.data();
    cell.inputs.add_remark((warns ? "warning: trace " : "trace ") + trace.name + ": " + remark);
  }
  return load;
}

}  // namespace

const OfferedLoad& OfferedLoads::of(const ResolvedCell& cell, double target_rps) {
  // A population and a file are the same for all seeds.
  const bool without_seed = has_streams(cell.settings) || cell.settings.trace.shape == "file";
  return known_.of({cell.common.trace, target_rps, without_seed ? 0 : cell.cell.seed},
                   [&] { return made_load(cell, target_rps); });
}

std::string arrivals_text(const ResolvedCell& cell, double target_rps) {
  std::string text = text_of(target_rps) + " " + std::to_string(cell.cell.seed) + cell.common.trace_text;
  if (has_streams(cell.settings)) text += "\n" + cell.pipeline.name + " " + std::to_string(cell.slo_ns);
  return text;
}

}  // namespace harness
