// The offline schedule: what a schedule made with full knowledge of the arrivals completes in time, under
// the same plan. The optimum lies between it and the fluid bound (fluid_bound.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/engine/run_spec.h"

namespace harness {

/// A place in a batch, reserved for one request. The visits of a module with the same worker and start are
/// one batch.
struct ScheduledVisit {
  RequestId request = 0;
  ModuleId module = 0;
  std::uint32_t worker = 0;  ///< 0 .. the module's workers - 1
  TimeNs start_ns = 0;
  TimeNs end_ns = 0;  ///< when its result counts as there; a batch that is not full may end sooner
};

/// Requests in time of the best of a few offline schedules, each of which a policy that knew the arrivals
/// could carry out: a lower bound of the optimum. Requests of the measured part reserve in order of sending;
/// each takes at every module the next place in a batch that starts when it is ready (the ends before it +
/// the network delay) or later, and reserves nothing when it would end after its due time. Where modules send
/// it to one of several, it reserves only on its own route. The schedules differ in the batch sizes, at most
/// the plan's caps, and in whether batches start evenly spaced over the workers or as soon as one is free.
///
/// Nothing where no schedule is sure to be feasible (why_no_offline_schedule). `visits` gets the schedule
/// itself, in order of request and module, which needs memory for each visit.
std::optional<std::uint64_t> offline_schedule(const RunSpec& spec, const RunRecord& record,
                                              std::vector<ScheduledVisit>* visits = nullptr);

/// Empty, or why no schedule is sure to be feasible: "the plan changed during the run". So it is in task
/// trees, with jitter, with services other than batches, with several streams or faults, where workers serve
/// several modules, or when the plan changes during the run.
std::string why_no_offline_schedule(const RunSpec& spec, const RunRecord& record);

}  // namespace harness
