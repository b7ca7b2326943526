// A timetable of batches: each request reserves a place in a batch of every module before it enters, as in
// the offline schedule of harness/engine/bounds, but with the knowledge at its arrival only.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

/// The batches of one module in a timetable.
struct BatchShape {
  int size = 1;
  TimeNs exec_ns = 0;  ///< time reserved for each batch, of any number of visits: the longest up to that size

  /// Returns the time between the starts of two successive batches, which are evenly spaced over the workers.
  TimeNs spacing_ns(int workers) const { return (exec_ns + workers - 1) / workers; }
};

/// Returns a shape for each module, for the workers of the plan: the smallest batches that reach the
/// bottleneck's rate, or a part of that rate if a path of these batches leaves so little time until the SLO
/// that requests would miss them. The part is chosen for which the lesser of two shares is greatest: the part
/// itself, and the share of all requests that can take the next batch of each module and end in time.
std::vector<BatchShape> batch_shapes(const ServingContext& context, const Plan& plan);

/// Returns the time that a batch of `size` takes there; the planned time for services other than batches.
TimeNs batch_ns(const ServingContext& context, const Plan& plan, ModuleId module, int size);

/// The batches of one module, in the order of their starts. Requests reserve in the order in which they are
/// sent and get ready in nearly that order, so only the newest batch can have room for the next.
class Lane {
 public:
  struct Place {
    TimeNs ready_ns = 0;
    TimeNs start_ns = 0;
    bool opens = false;  ///< the visit opens a new batch
  };

  void set(const BatchShape& shape, int workers);
  /// Finds the place of a visit that is ready at `ready_ns`.
  Place find(TimeNs ready_ns) const;
  /// Reserves a place. `share` is the mean number of visits that a request makes here.
  void reserve(const Place& place, double share);
  /// Returns the start of one more visit that came at `at_ns`, counting only reservations of visits that were
  /// to come by then; kNever if that is no longer known.
  TimeNs start_at(TimeNs at_ns) const;

  const BatchShape& shape() const { return shape_; }
  TimeNs spacing_ns() const { return spacing_ns_; }

 private:
  static constexpr TimeNs kLongAgo = -(TimeNs{1} << 60);
  static constexpr std::size_t kKept = 1024;  // a second of batches a millisecond apart

  struct Batch {
    TimeNs first_ready_ns = kLongAgo;
    TimeNs start_ns = kLongAgo;
    double taken = 0;  ///< number of visits in it, as a sum of shares
  };

  /// Returns the batch that is `back` before the newest.
  const Batch& batch(std::size_t back) const { return batches_[(newest_ - back) % kKept]; }
  bool has_room(const Batch& batch) const {
    constexpr double kRounding = 1e-9;  // of sums of shares
    return batch.taken + kRounding < shape_.size;
  }
  /// Returns the least start of the batch after that one. By then a worker is free.
  TimeNs next_start_ns(std::size_t back) const { return batch(back).start_ns + spacing_ns_; }

  BatchShape shape_;
  TimeNs spacing_ns_ = 0;
  std::array<Batch, kKept> batches_;  ///< ring of the newest batches
  std::size_t newest_ = 0;
};

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
