// The fluid bound: the number of requests that any policy could complete in time at most, under the same
// plan.
#pragma once

#include <cstdint>

#include "harness/engine/run_spec.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// Returns a number of requests of the measured part in time that no policy can exceed, given the arrivals of
/// `spec` and the workers(t) and maximum batch sizes of `record.plans`. Requests sent before that part take
/// no time here, because a policy may drop them.
///
/// Each module is a fluid server of rate workers(t) x max over b <= cap of b / d(b). A visit's work must fit
/// between its sending + the shortest time before the module and its deadline - the shortest time after it.
/// The server is FIFO and rejects what cannot finish in time, which is optimal for equal work and agreeable
/// deadlines. The bound is the least over the modules. If modules choose branches (core/routes.h), a module
/// is offered only the requests that visit it, the others count as in time, and the shortest times are the
/// least over the routes that visit it. Shortest times are the least execution times over b (times 1 -
/// jitter_fraction for uniform jitter, 0 for exponential jitter, whose rate is unbounded) plus the network
/// delay of every hop.
///
/// All streams count with the longest SLO, but requests of a stream whose own SLO is shorter than the
/// shortest time cannot be in time. If workers serve several modules, the bound is at most what they can
/// complete in the time that they have together. A shared or delay service sets no limit: its visits differ
/// in length, so its rate and its shortest time are left out, and the bound is loose there. If plans give
/// workers cores, every batch takes as long as with the most cores that any plan gives its module. In a task
/// tree, whose systems choose their own work, the bound is the number of requests sent.
std::uint64_t fluid_bound(const RunSpec& spec, const RunRecord& record);

}  // namespace harness
