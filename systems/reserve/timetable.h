// A timetable of batches: each request reserves a place in a batch of every module before it enters, as in
// the offline schedule of harness/engine/bounds, but with the knowledge at its arrival only.
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

  /// Reserves in every module for a request that enters at `now`. Returns false, and reserves nothing, if it
  /// would end later than `margin_ns` before its deadline. A request that may take several routes must find a
  /// place on each, and reserves its mean number of visits.
  bool reserve(TimeNs now, TimeNs deadline_ns, TimeNs margin_ns);

  /// Takes a plan that counts only the workers that serve now. A planner's plan also counts workers that
  /// still start.
  void set_plan(const Plan& plan);
  /// Sets the delay by which batches of the module really start later than its lane says, reported at
  /// `told_ns`. It counts for one SLO: by then all requests that entered before have ended, and if it lasted
  /// no request could enter and show that it has passed.
  void set_delay(ModuleId module, TimeNs told_ns, TimeNs delay_ns) {
    delays_[module] = {delay_ns, told_ns + context_->slo_ns};
  }

  const Lane& lane(ModuleId module) const { return lanes_[module]; }
  /// Returns the longest path behind the module, without waiting.
  TimeNs after_ns(ModuleId module) const { return after_ns_[module]; }
  /// Returns the longest path of the pipeline, without waiting.
  TimeNs least_ns() const { return least_ns_; }
  /// Returns the times from one batch to the next, summed over the longest path: a request may be late by so
  /// much if the batches that really form differ by one from the reserved ones.
  TimeNs gaps_ns() const { return gaps_ns_; }

 private:
  void measure();

  const ServingContext* context_;
  std::vector<double> shares_;  ///< mean number of visits of a request at each module
  std::vector<Lane> lanes_;
  struct Delay {
    TimeNs delay_ns = 0;
    TimeNs until_ns = 0;
  };
  std::vector<Delay> delays_;
  std::vector<TimeNs> after_ns_;
  std::vector<Lane::Place> places_;  ///< places of the request at hand
  std::vector<TimeNs> ends_ns_;      ///< ends of the request at hand at each module
  TimeNs least_ns_ = 0;
  TimeNs gaps_ns_ = 0;
};

}  // namespace harness
