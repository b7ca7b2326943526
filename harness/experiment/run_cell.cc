#include "harness/experiment/run_cell.h"

#include <algorithm>

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

/// Where the optimum lies between what is known to be feasible and the fluid bound.
void add_reservation(SummaryRow& row, const RunRecord& record, const Bounds& bound) {
  if (!bound.reservation) return;
  const auto reserved = static_cast<double>(*bound.reservation);
  if (row.duration_s > 0) row.reservation_rps = reserved / row.duration_s;
  if (bound.fluid == 0) return;
  const double feasible = std::max(reserved, static_cast<double>(record.in_time));
  row.bound_gap = 1.0 - feasible / static_cast<double>(bound.fluid);
}

}  // namespace

SummaryRow run_cell(CellFactory& factory, BoundCache& bounds, const Cell& cell, const PreparedCell& prepared,
                    bool rows, const std::string& path,
                    const std::function<void(TimeNs, std::uint64_t)>& progress) {
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
  const Bounds& bound = bounds.of(prepared.arrivals_text, spec, record);
  SummaryRow row = summarise(prepared.identity, record, static_cast<double>(bound.fluid),
                             prepared.capacity_rps, [&capacity](TimeNs at) { return capacity.at(at); });
  add_reservation(row, record, bound);
  writer.finish(row, record);
  return row;
}

}  // namespace harness
