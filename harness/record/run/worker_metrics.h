// Metrics of the workers of a run: their number, cost and utilisation. "The load" means its measured part
// (RunRecord::measured_from_ns); the time before it does not count.
#pragma once

#include "harness/core/types.h"
#include "harness/record/run/run_record.h"
#include "harness/record/run/worker_totals.h"

namespace harness {

/// Returns the time within [from_ns, until_ns) in which the worker could serve.
TimeNs able_time_ns(const WorkerTotals& worker, TimeNs from_ns, TimeNs until_ns);

/// Returns the time in which the workers could serve, summed over all: from ready to removed, or to the end
/// of the run (of the load or of its last request, whichever is later).
TimeNs worker_time_ns(const RunRecord& record);

/// Returns the mean number of workers that could serve during the load: their time from ready to removed
/// within the load / its duration. Divided by the number of the cluster's workers it is Loki's cluster
/// utilisation (section 6.1). Returns kNoValue for a load of no duration.
double workers_mean(const RunRecord& record);

/// Returns the minimum of that mean over the whole windows of 10 s from the start of the load on. Returns
/// kNoValue for a load of less than 10 s.
double workers_min_10s(const RunRecord& record);

/// Returns the cost of the workers during the load in dollars: each is paid for from the time at which it has
/// its device until it is removed, at the price of its kind (InferLine, section 7: cost). Returns kNoValue if
/// a worker's price is not known.
double cost_usd(const RunRecord& record);
/// Returns the same for [from_ns, to_ns), within the load.
double cost_usd(const RunRecord& record, TimeNs from_ns, TimeNs to_ns);

/// Returns the time of the workers' GPUs during the load, in hours, from the same moments as cost_usd().
double gpu_hours(const RunRecord& record);

/// Returns busy time of the workers / time in which they could serve; a worker counts once for each of its
/// GPUs. The result is at most 1 even if a backlog is served after the load. Returns kNoValue if no worker
/// could serve.
double gpu_utilisation(const RunRecord& record);

}  // namespace harness
