// A timetable of batches: each request reserves a place in a batch of every module before it enters, as in
// the offline schedule of harness/engine/bounds, but knowing only the requests that came before.
#pragma once

#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"
#include "systems/reserve/lane.h"

namespace harness {

/// The lanes of all modules of a pipeline.
class Timetable {
 public:
  Timetable(const ServingContext& context, const Plan& plan);

  /// Reserves a place in every module for a request that enters at `now`. Returns false, and reserves
  /// nothing, unless the request ends at least `margin_ns` before its deadline. A request that may take
  /// several routes must find a place on each, and reserves its mean number of visits at each module.
  bool reserve(TimeNs now, TimeNs deadline_ns, TimeNs margin_ns);

  /// Takes a new plan. `plan` must count serving workers only (a planner's counts starting ones, too).
  void set_plan(const Plan& plan);
  /// Sets the delay by which batches of the module really start later than its lane says, reported at
  /// `told_ns`. It holds for one SLO after `told_ns`. Otherwise a large delay would refuse every request, and
  /// no batch would show that it is over.
  void set_delay(ModuleId module, TimeNs told_ns, TimeNs delay_ns) {
    delays_[module] = {delay_ns, told_ns + context_->slo_ns};
  }

  const Lane& lane(ModuleId module) const { return lanes_[module]; }
  /// Returns the length of the longest path after the module, in execution times only.
  TimeNs after_ns(ModuleId module) const { return after_ns_[module]; }
  /// Returns the length of the pipeline's longest path, in execution times only.
  TimeNs longest_ns() const { return longest_ns_; }
  /// Returns the times from one batch to the next, summed over the longest path: a request may be late by so
  /// much if the batches that really form differ by one from the reserved ones.
  TimeNs spacings_ns() const { return spacings_ns_; }

 private:
  struct Delay {
    TimeNs delay_ns = 0;
    TimeNs until_ns = 0;
  };

  /// Computes the lengths of paths from the lanes.
  void update_lengths();

  const ServingContext* context_;
  std::vector<double> visits_per_request_;  ///< mean number of visits of a request at each module
  std::vector<Lane> lanes_;
  std::vector<Delay> delays_;
  std::vector<TimeNs> after_ns_;
  std::vector<Lane::Place> places_;  ///< places of the request at hand
  std::vector<TimeNs> ends_ns_;      ///< ends of the request at hand at each module
  TimeNs longest_ns_ = 0;
  TimeNs spacings_ns_ = 0;
};

}  // namespace harness
