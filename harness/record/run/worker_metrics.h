// Metrics of the workers of a run: how many there were, what they cost, how busy they were and how they
// started.
#pragma once

#include "harness/record/run/summary.h"

namespace harness {

/// Returns the time within [from_ns, until_ns) in which the worker could serve.
TimeNs able_time_ns(const WorkerTotals& worker, TimeNs from_ns, TimeNs until_ns);

// "The load" is its measured part (RunRecord::measured_from_ns), and what happened before it does not count.

/// Time in which the workers could serve, all together: from ready to removed, or to the end of the run (of
/// the load or of its last request, whichever is later).
TimeNs worker_time_ns(const RunRecord& record);

/// Mean number of workers that could serve during the load: from ready to removed, what lies in it, / its
/// duration. Over the cluster's workers it is Loki's cluster utilisation (section 6.1). kNoValue for a load
/// of no duration.
double workers_mean(const RunRecord& record);

/// The least of that mean over the whole windows of 10 s from the start of the load on. kNoValue for a load
/// of less.
double workers_min_10s(const RunRecord& record);

/// Dollars for the workers during the load: each from when it has its device until it is removed, at the
/// price of its kind (InferLine, section 7: cost). kNoValue where the price of one is not known.
double cost_usd(const RunRecord& record);
/// The same in [from_ns, to_ns), within the load.
double cost_usd(const RunRecord& record, TimeNs from_ns, TimeNs to_ns);

/// When the first worker was added after the start, in s; kNoValue: none was.
double first_added_s(const RunRecord& record);
/// Time of the workers' GPUs during the load, in hours, counted as cost_usd.
double gpu_hours(const RunRecord& record);

/// Busy time of the workers / time in which they could serve, each counted once for each of its GPUs: a
/// backlog served after the load does not exceed 1. kNoValue where none could serve.
double gpu_utilisation(const RunRecord& record);

/// Those that were added after the start, and how long they took until they could serve, from when they had
/// their GPUs (QUART, sections 2.2 and 4.2). Means over those that came to serve; kNoValue: none did.
struct AddedWorkers {
  std::uint64_t count = 0;
  std::uint64_t from_memory = 0;  ///< of them, from parameters that their server kept
  double ms_from_memory = kNoValue;
  double ms_from_disk = kNoValue;  ///< of the others
};
AddedWorkers added_workers(const RunRecord& record);

}  // namespace harness
