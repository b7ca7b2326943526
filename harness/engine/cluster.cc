#include "harness/engine/cluster.h"

#include <utility>

#include "harness/engine/prefetch.h"

namespace harness {

Cluster::Cluster(const RunSpec& spec, World& world, RowSink* rows)
    : world_(world),
      faults_(spec.faults),
      sizes_(spec.seed, spec.profiles, spec.trace_tokens),
      context_(make_context(spec, &sizes_)),
      books_(spec.pipeline, spec.arrivals->duration_ns(), spec.slo_ns, rows, spec.answers),
      domains_(spec, context_, world, *this, tables_, books_),
      dispatcher_(spec, context_, world, *this, tables_, books_) {}

Plan Cluster::compute_plan(TimeNs now) {
  std::vector<std::uint64_t> arrived;
  for (const ModuleTotals& totals : books_.record().modules) arrived.push_back(totals.arrived);
  return dispatcher_.compute_plan(now, dispatcher_.take_load(now, arrived));
}

void Cluster::on_fault_change(TimeNs now, std::size_t index) {
  const FaultChange change = faults_.changes()[index];
  dispatcher_.on_fault(now, faults_.apply(change), change.begins);
}

void Cluster::prefetch_batch(WorkerId worker) const {
  for (const BatchVisit& member : tables_.workers[worker].running) {
    prefetch_object(&tables_.visits[member.id]);
    dispatcher_.prefetch_request(member.id);
  }
  domains_.prefetch_host(worker);
}

std::uint64_t Cluster::progress() const {
  std::uint64_t count = 0;
  for (const ModuleTotals& totals : books_.record().modules) {
    count += totals.batches;
    for (const std::uint64_t dropped : totals.dropped) count += dropped;
  }
  return count;
}

RunRecord Cluster::close(TimeNs end_ns, std::uint64_t events) {
  std::vector<WorkerTotals> totals;
  for (const WorkerState& worker : tables_.workers) totals.push_back(worker.totals);
  RunRecord record = books_.close(end_ns, events, std::move(totals));
  record.replay = domains_.take_replay();
  return record;
}

}  // namespace harness
