// A timetable of batches: each request reserves a place in a batch of every module before it enters, as in
// the offline schedule of harness/engine/bounds, but with what is known when it comes.
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
  TimeNs exec_ns = 0;  ///< what is reserved for each, however many visits come: the longest up to that size

  /// From the start of one to that of the next: they are evenly spaced over the workers.
  TimeNs spacing_ns(int workers) const { return (exec_ns + workers - 1) / workers; }
};

/// By module, for the workers of the plan: the smallest batches that reach the bottleneck's rate, or a part
/// of it where a path of them leaves little time until the SLO, so that requests would miss them. Chosen is
/// the part for which the lesser of two shares is greatest: the part itself, and what of all requests can
/// take the next batch of each module and end in time.
std::vector<BatchShape> batch_shapes(const ServingContext& context, const Plan& plan);

/// What a batch of `size` takes there; of services other than batches, what is planned.
TimeNs batch_ns(const ServingContext& context, const Plan& plan, ModuleId module, int size);

/// The batches of one module, in the order of their starts. Requests reserve in the order in which they are
/// sent and get ready in nearly that order, so only the newest batch can have room for the next.
class Lane {
 public:
  struct Place {
    TimeNs ready_ns = 0;
    TimeNs start_ns = 0;
    bool opens = false;  ///< a new batch
  };

  void set(const BatchShape& shape, int workers);
  /// Where a visit that is ready at `ready_ns` would run.
  Place find(TimeNs ready_ns) const;
  /// `share`: how many visits a request makes here on average.
  void reserve(const Place& place, double share);
  /// When one more visit that came at `at_ns` would start, had only those been there that were to come by
  /// then. kNever: that is not known any more.
  TimeNs start_at(TimeNs at_ns) const;

  const BatchShape& shape() const { return shape_; }
  TimeNs spacing_ns() const { return spacing_ns_; }

 private:
  static constexpr TimeNs kLongAgo = -(TimeNs{1} << 60);
  static constexpr std::size_t kKept = 1024;  // a second of batches a millisecond apart

  struct Batch {
    TimeNs first_ready_ns = kLongAgo;
    TimeNs start_ns = kLongAgo;
    double taken = 0;  ///< visits in it
  };

  /// The newest has number 0.
  const Batch& batch(std::size_t back) const { return batches_[(newest_ - back) % kKept]; }
  bool has_room(const Batch& batch) const {
    constexpr double kRounding = 1e-9;  // of sums of shares
    return batch.taken + kRounding < shape_.size;
  }
  /// The least start of the batch behind that number. By then a worker is free.
  TimeNs next_start_ns(std::size_t back) const { return batch(back).start_ns + spacing_ns_; }

  BatchShape shape_;
  TimeNs spacing_ns_ = 0;
  std::array<Batch, kKept> batches_;  ///< a ring: the newest
  std::size_t newest_ = 0;
};

/// The lanes of a pipeline.
class Timetable {
 public:
  Timetable(const ServingContext& context, const Plan& plan);

  /// Reserves in every module for a request that enters at `now`. False, and nothing is reserved, where it
  /// would end later than `margin_ns` before its deadline. One that may take several routes must find a place
  /// on each, and reserves its mean number of visits.
  bool reserve(TimeNs now, TimeNs deadline_ns, TimeNs margin_ns);

  /// Of a plan whose workers are those that serve now: a plan counts others, too, that still start.
  void set_plan(const Plan& plan);
  /// Batches of the module really start so much later than its lane says, as was told at `told_ns`. It counts
  /// for one SLO: by then all who entered before have ended, and without it nobody could enter who would
  /// show that it has passed.
  void set_delay(ModuleId module, TimeNs told_ns, TimeNs delay_ns) {
    delays_[module] = {delay_ns, told_ns + context_->slo_ns};
  }

  const Lane& lane(ModuleId module) const { return lanes_[module]; }
  /// The longest path behind the module, without waiting.
  TimeNs after_ns(ModuleId module) const { return after_ns_[module]; }
  /// The longest path without waiting.
  TimeNs least_ns() const { return least_ns_; }
  /// The times from one batch to the next, summed over the longest path: by so much may a request be late
  /// where the batches that really form differ by one from those reserved.
  TimeNs gaps_ns() const { return gaps_ns_; }

 private:
  void measure();

  const ServingContext* context_;
  std::vector<double> shares_;  ///< by module, as all below
  std::vector<Lane> lanes_;
  struct Delay {
    TimeNs delay_ns = 0;
    TimeNs until_ns = 0;
  };
  std::vector<Delay> delays_;
  std::vector<TimeNs> after_ns_;
  std::vector<Lane::Place> places_;  ///< of the request at hand
  std::vector<TimeNs> ends_ns_;      ///< likewise
  TimeNs least_ns_ = 0;
  TimeNs gaps_ns_ = 0;
};

}  // namespace harness
