// The offline schedule: the number of requests that a schedule made with full knowledge of the arrivals
// completes in time, under the same plan. The optimum lies between it and the fluid bound (fluid_bound.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/engine/run_spec.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// A place in a batch, reserved for one request. The visits of a module with the same worker and start are
/// one batch.
struct ScheduledVisit {
  RequestId request = 0;
  ModuleId module = 0;
  std::uint32_t worker = 0;  ///< index of the worker in its module, 0 .. the module's workers - 1
  TimeNs start_ns = 0;
  /// Time at which its result counts as there; a batch that is not full may end sooner.
  TimeNs end_ns = 0;
};

/// Returns the requests in time of the best of a few offline schedules, each of which a policy that knew the
/// arrivals could carry out: a lower bound of the optimum. Requests of the measured part reserve in order of
/// sending. At every module a request takes the next place in a batch that starts when the request is ready
/// (the ends before it + the network delay) or later. It reserves nothing if it would end after its due time,
/// and only on its own route if modules send it to one of several. The schedules differ in the batch sizes,
/// at most the plan's maximum, and in whether batches start evenly spaced over the workers or as soon as one
/// is free.
///
/// Returns nothing if no schedule is sure to be feasible (why_no_offline_schedule). `visits` receives the
/// schedule itself, in order of request and module, which needs memory for each visit.
std::optional<std::uint64_t> offline_schedule(const RunSpec& spec, const RunRecord& record,
                                              std::vector<ScheduledVisit>* visits = nullptr);

/// Returns "" or why no schedule is sure to be feasible, such as "the plan changed during the run". The
/// reasons are task trees, jitter, services other than batches, several streams, faults, workers that serve
/// several modules, and a plan that changes during the run.
std::string why_no_offline_schedule(const RunSpec& spec, const RunRecord& record);

}  // namespace harness
