// The requests that wait for one model, as a queue for each batch size (OSDI'20; SHEPHERD, section 7).
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/deadline_queue.h"
#include "systems/clockwork/clockwork_model.h"
#include "systems/clockwork/clockwork_params.h"
#include "systems/clockwork/latency_estimate.h"

namespace harness {

/// The queues of one model, one for each batch size. A visit is in the queue of each size and leaves it when
/// it can no longer end in time with that size. As a larger batch is never taken to be faster than a smaller
/// one, it leaves the larger sizes' queues first. So the queues are ends of one list in deadline order, and
/// cost no more than that list.
class ModelStrategies {
 public:
  /// A visit that waits. `deadline_ns` is the deadline less the margin.
  struct WaitingVisit {
    TimeNs deadline_ns = 0;
    VisitId id = 0;
  };
  /// A model with a batch size, and its place among the others; start_ns is kNever if there is no strategy.
  struct Strategy {
    TimeNs start_ns = kNever;  ///< latest start of the batch: its first visit's deadline - estimate
    int size = 0;              ///< index of the batch size
  };

  ModelStrategies(const ClockworkModel& model, const ClockworkParams& params) : params_(params) {
    for (int size = 1; size <= model.max_batch; size = next(size)) {
      const TimeNs latency_ns = model.profile->latency(size);
      if (size > 1 && params.max_exec_ms > 0 && latency_ns > ms_to_ns(params.max_exec_ms)) continue;
      sizes_.push_back(size);
      measured_.emplace_back(latency_ns, params.estimate_window, params.estimate_percentile);
    }
    estimate_ns_.resize(sizes_.size());
    from_ns_.assign(sizes_.size(), std::numeric_limits<TimeNs>::min());
    note_estimates();
  }

  int sizes() const { return static_cast<int>(sizes_.size()); }
  int batch(int size) const { return sizes_[at(size)]; }
  TimeNs estimate_ns(int size) const { return estimate_ns_[at(size)]; }
  std::span<const WaitingVisit> waiting() const { return visits_.visits(); }
  /// Returns the estimate of a batch of so many visits.
  TimeNs estimate_of_batch(int visits) const {
    std::size_t size = 0;
    while (size + 1 < sizes_.size() && sizes_[size] < visits) ++size;
    return estimate_ns_[size];
  }

  void insert(const WaitingVisit& visit) {
    visits_.insert(visit);
    for (TimeNs& from_ns : from_ns_) from_ns = std::min(from_ns, visit.deadline_ns);
  }
  void erase(const WaitingVisit& visit) { visits_.erase(visit); }

  /// Takes the measured time of a batch of so many visits. Ignores batches that have none of the model's
  /// sizes.
  void measured(int visits, TimeNs took_ns) {
    const auto found = std::lower_bound(sizes_.begin(), sizes_.end(), visits);
    if (found == sizes_.end() || *found != visits) return;
    measured_[static_cast<std::size_t>(found - sizes_.begin())].add(took_ns);
    note_estimates();
  }

  /// Returns the strategy that comes first among the first `sizes` batch sizes.
  Strategy first(int sizes) const {
    Strategy first;
    for (int size = 0; size < sizes; ++size) {
      const std::size_t front = front_of(size);
      if (front == visits_.size()) break;
      const TimeNs start_ns = waiting()[front].deadline_ns - estimate_ns(size);
      const bool sooner =
          params_.ties == ClockworkTies::kSmall ? start_ns < first.start_ns : start_ns <= first.start_ns;
      if (sooner) first = {start_ns, size};
    }
    return first;
  }

  /// Takes visits out of each queue in whose batch they cannot end in time if started at `start_ns`. Calls
  /// drop(id) for visits that leave the last queue.
  template <class Drop>
  void expire(TimeNs start_ns, Drop drop) {
    for (int size = 0; size < sizes(); ++size) from_ns_[at(size)] = start_ns + estimate_ns(size);
    drop_before(front_of(0), drop);
  }

  /// True if the queue of that size can fill a batch.
  bool filled(int size) const {
    return visits_.size() - front_of(size) >= static_cast<std::size_t>(batch(size));
  }
  /// Returns the largest size that can be filled, or -1.
  int largest_filled() const {
    int size = sizes() - 1;
    while (size >= 0 && !filled(size)) --size;
    return size;
  }

  /// Takes a batch of that size, which can be filled: calls join(id) for each of its visits, and drop(id) for
  /// earlier ones in the queue unless overtaken visits are kept.
  template <class Join, class Drop>
  void take(int size, Join join, Drop drop) {
    const std::size_t front = front_of(size);
    const auto count = static_cast<std::size_t>(batch(size));
    for (const WaitingVisit& visit : waiting().subspan(front, count)) join(visit.id);
    visits_.erase(front, count);
    if (params_.overtaken == ClockworkOvertaken::kDrop) drop_before(front, drop);
  }

 private:
  static std::size_t at(int size) { return static_cast<std::size_t>(size); }
  int next(int size) const { return params_.sizes == ClockworkSizes::kPowers ? 2 * size : size + 1; }
  /// Returns the position at which the queue of that size begins.
  std::size_t front_of(int size) const { return first_due_from(waiting(), from_ns_[at(size)]); }

  template <class Drop>
  void drop_before(std::size_t end, Drop drop) {
    for (const WaitingVisit& visit : waiting().first(end)) drop(visit.id);
    if (end > 0) visits_.erase(0, end);
  }
  void note_estimates() {
    TimeNs least_ns = 0;
    for (std::size_t size = 0; size < sizes_.size(); ++size) {
      least_ns = std::max(least_ns, measured_[size].ns());
      estimate_ns_[size] = least_ns;
    }
  }

  ClockworkParams params_;
  std::vector<int> sizes_;  ///< ascending, from 1 on
  std::vector<LatencyEstimate> measured_;
  std::vector<TimeNs> estimate_ns_;  ///< estimate of each size: never less than a smaller size's
  std::vector<TimeNs> from_ns_;      ///< deadline of each size; visits due earlier have left its queue
  DeadlineQueue<WaitingVisit> visits_;
};

}  // namespace harness
