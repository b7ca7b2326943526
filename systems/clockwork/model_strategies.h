// The requests that wait for one model, as a queue for each batch size (OSDI'20; SHEPHERD, section 7).
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "harness/core/params.h"
#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/serving/deadline_queue.h"

namespace harness {

// Clockwork's parameters, each with its source. "Released code": the scheduler that the authors of Clockwork
// published (infer5).

/// The batch sizes for which a model has a strategy.
enum class ClockworkSizes {
  kPowers,  ///< 1, 2, 4, ...: sizes for which Clockwork's models are compiled
  kAll      ///< every size up to the largest
};

/// The batch that runs at the first strategy's turn.
enum class ClockworkBatch {
  kLargest,  ///< largest batch of that model that can be filled, if it is at least the strategy's
  kStrategy  ///< batch of the strategy's size
};

/// The place of a strategy whose first visit can no longer end in time.
enum class ClockworkStale {
  kServe,   ///< it keeps its place: at its turn late visits leave it, and the others may run
  kRefresh  ///< late visits leave all strategies before they are compared
};

/// The fate of visits that are due earlier than the visits of a batch of their model and too early for it.
enum class ClockworkOvertaken {
  kDrop,  ///< they are dropped
  kKeep   ///< they wait for a smaller batch
};

/// The order of strategies with equal starts.
enum class ClockworkTies {
  kSmall,  ///< smaller batch first, then the model given first
  kLarge   ///< larger batch first, then the model given first
};

struct ClockworkParams {
  double margin_ms = 5;
  double schedule_ahead_ms = 10;
  int estimate_window = 10;
  double estimate_percentile = 99;
  int max_batch = 16;
  double max_exec_ms = 0;
  ClockworkSizes sizes = ClockworkSizes::kPowers;
  ClockworkBatch batch = ClockworkBatch::kLargest;
  ClockworkStale stale = ClockworkStale::kServe;
  ClockworkOvertaken overtaken = ClockworkOvertaken::kDrop;
  ClockworkTies ties = ClockworkTies::kSmall;

  void list(ParamList& params) {
    params.number("margin_ms", margin_ms, 0, 1e4,
                  "a batch is to end so long before the earliest deadline in it (released code: 5 ms)");
    params.number("schedule_ahead_ms", schedule_ahead_ms, 0, 1e4,
                  "a worker gets its next batch when its batch is expected to end within this time "
                  "(OSDI'20; released code: 10 ms)");
    params.integer("estimate_window", estimate_window, 1, 1000,
                   "latencies measured last, of a model and batch size, that its estimate is taken from; the "
                   "profile's before there are so many (released code: 10)");
    params.number("estimate_percentile", estimate_percentile, 0, 100,
                  "which percentile of them is the estimate (released code: 99)");
    params.integer("max_batch", max_batch, 1, 1024, "most visits in a batch (Clockwork's models: 16)");
    params.number("max_exec_ms", max_exec_ms, 0, 1e5,
                  "batch sizes above 1 with a longer latency in the profile have no strategy; 0: no limit "
                  "(released code: 18 ms)");
    params.choice("sizes", sizes, {"powers", "all"},
                  "batch sizes that have strategies: powers of two (Clockwork's models), or all");
    params
        .choice("batch", batch, {"largest", "strategy"},
                "what runs at a strategy's turn: the largest batch of its model that can be filled and is "
                "no smaller (released code), or one of the strategy's own size")
        .reading();
    params
        .choice("stale", stale, {"serve", "refresh"},
                "a strategy whose first visit is late by now: serve, keeps its place and runs with what "
                "is left of it (released code); refresh, is placed again by its first visit that is not")
        .reading();
    params
        .choice("overtaken", overtaken, {"drop", "keep"},
                "visits due too early for the batch that their model runs: drop (released code), or keep "
                "for a smaller batch")
        .reading();
    params
        .choice("ties", ties, {"small", "large"},
                "of strategies with the same start the one with the smaller (released code) or the larger "
                "batch comes first, then the model given first")
        .reading();
  }
};

// The time that a batch is expected to take: a percentile of the latencies measured last (OSDI'20; released
// code).

/// The estimate for one model and batch size. Allocates in the constructor only.
class LatencyEstimate {
 public:
  /// `profile_ns` is the estimate until `window` (1 or more) latencies have been measured; from then on it is
  /// the nearest-rank `percentile` (0..100) of the last `window` of them.
  LatencyEstimate(TimeNs profile_ns, int window, double percentile)
      : estimate_ns_(profile_ns), window_(static_cast<std::size_t>(window)) {
    last_.reserve(window_);
    sorted_.reserve(window_);
    while (static_cast<double>(rank_ + 1) * 100 < percentile * window) ++rank_;
  }

  TimeNs ns() const { return estimate_ns_; }

  void add(TimeNs took_ns) {
    if (last_.size() < window_) {
      last_.push_back(took_ns);
    } else {
      last_[oldest_] = took_ns;
      oldest_ = (oldest_ + 1) % window_;
    }
    if (last_.size() < window_) return;
    sorted_.assign(last_.begin(), last_.end());
    std::nth_element(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(rank_), sorted_.end());
    estimate_ns_ = sorted_[rank_];
  }

 private:
  TimeNs estimate_ns_;
  std::size_t window_;
  std::size_t rank_ = 0;  ///< rank of the percentile among the sorted values, from 0
  std::size_t oldest_ = 0;
  std::vector<TimeNs> last_;
  std::vector<TimeNs> sorted_;  ///< scratch
};

/// A model that Clockwork serves.
struct ClockworkModel {
  ModuleId module = 0;
  const Profile* profile = nullptr;  ///< read in the constructor only
  int max_batch = 16;                ///< at most this many visits in a batch
};

/// A visit that waits. `deadline_ns` is the deadline less the margin.
struct WaitingVisit {
  TimeNs deadline_ns = 0;
  VisitId id = 0;
};

/// A model with a batch size, and its place among the others; start_ns is kNever if there is no strategy.
struct ClockworkStrategy {
  TimeNs start_ns = kNever;  ///< latest start of the batch: its first visit's deadline - estimate
  int size = 0;              ///< index of the batch size
};

/// The queues of one model, one for each batch size. A visit is in the queue of each size and leaves it when
/// it can no longer end in time with that size. As a larger batch is never taken to be faster than a smaller
/// one, it leaves the larger sizes' queues first. So the queues are ends of one list in deadline order, and
/// cost no more than that list.
class ModelStrategies {
 public:
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
  ClockworkStrategy first(int sizes) const {
    ClockworkStrategy first;
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
