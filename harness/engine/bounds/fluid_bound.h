// The fluid bound: what any policy could complete in time at most, under the same plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/engine/run_spec.h"

namespace harness {

/// Requests of the measured part in time that no policy can exceed, given the arrivals of `spec` and the
/// workers(t) and maximum batch sizes that `record.plans` says. Requests sent before that part take no time
/// here: a policy may drop them. Per module a fluid server of rate workers(t) x max over b <= cap of
/// b / d(b); a visit's work must fit between its sending + the shortest time before the module and its
/// deadline - the shortest time after it; FIFO, rejecting what cannot finish in time (optimal for equal work
/// and agreeable deadlines). The least over the modules. Where modules choose branches (core/routes.h) a
/// module is offered the requests alone that visit it, the others count as in time, and the shortest times
/// are the least over the routes that visit it. Shortest times are the least execution times over b (times 1
/// - jitter_fraction for uniform jitter, 0 for exponential jitter, whose rate is unbounded) plus the network
/// delay of every hop. Streams that are due sooner count for nothing. Where workers serve several modules
/// no more than what they can complete in the time that they have together. A shared or delay service sets no
/// limit: its visits differ in length, so its rate and its shortest time are left out, and the bound is loose
/// there. Where plans give workers cores, every batch takes as long as with the most that any plan gives its
/// module. In a task tree, whose systems choose their own work, it is all that was sent.
std::uint64_t fluid_bound(const RunSpec& spec, const RunRecord& record);

/// Capacity in requests/s as the plan rows say it, a step function of time.
class CapacityCurve {
 public:
  /// `profiles` one per module; may be empty when all services are batch.
  CapacityCurve(const Pipeline& pipeline, const RunRecord& record, std::span<const Profile> profiles = {});
  /// workers x max_batch / exec / (probability that a request visits it) of the bottleneck module at that
  /// time; for other services workers x worker_rps / that probability.
  double at(TimeNs now) const;

 private:
  struct Step {
    TimeNs at_ns;
    double capacity_rps;
  };
  std::vector<Step> steps_;
};

}  // namespace harness
