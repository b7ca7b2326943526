#include "harness/experiment/run_cell.h"

#include "harness/engine/fluid_bound.h"
#include "harness/record/results_file.h"
#include "harness/sim/simulation.h"

namespace harness {
namespace {

SummaryRow skipped_row(const PreparedCell& prepared) {
  SummaryRow row;
  row.cell = prepared.identity;
  row.status = "skipped";
  row.why = prepared.why;
  row.slo_ms = ns_to_ms(prepared.slo_ns);
  row.workers = static_cast<std::uint64_t>(prepared.workers);
  row.duration_s = prepared.duration_s;
  row.offered_rps = prepared.offered_rps;
  return row;
}

}  // namespace

SummaryRow run_cell(CellFactory& factory, const Cell& cell, const PreparedCell& prepared, bool rows,
                    const std::string& path, const std::function<void(TimeNs, std::uint64_t)>& progress) {
  CellFileWriter writer(path, prepared.identity, prepared.module_names);
  if (!prepared.why.empty()) {
    const SummaryRow row = skipped_row(prepared);
    writer.finish(row, RunRecord());
    return row;
  }
  RunSpec spec = factory.make_run(cell, prepared);
  spec.progress = progress;
  const RunRecord record = simulate(spec, rows ? &writer : nullptr);
  const CapacityCurve capacity(spec.pipeline, record, spec.profiles);
  const SummaryRow row = summarise(prepared.identity, record, static_cast<double>(fluid_bound(spec, record)),
                                   prepared.capacity_rps, [&capacity](TimeNs at) { return capacity.at(at); });
  writer.finish(row, record);
  return row;
}

}  // namespace harness
