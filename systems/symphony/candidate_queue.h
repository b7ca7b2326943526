// The requests that wait for one model, and the batch that they make next (nexuslb, batch_policy.cpp and
// model_thread.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "harness/core/types.h"
#include "harness/serving/deadline_queue.h"
#include "systems/symphony/rate_meter.h"
#include "systems/symphony/symphony_latency.h"
#include "systems/symphony/symphony_params.h"

namespace harness {

/// One model's requests in order of deadline; requests with equal deadlines are in order of insertion.
///
/// The *suffix* is the largest tail of the queue that can run as one batch now; the requests before it are
/// the *prefix*. While the prefix's first request cannot end in a batch of min(target, |suffix|), it is
/// dropped; if there is no suffix, all are dropped. The first request left gives the batch's deadline D, and
/// the batch grows as far as D permits.
///
/// So with an empty prefix the whole queue is the batch, and the target does not count.
class CandidateQueue {
 public:
  /// A batch of the first `size` requests in order of deadline.
  struct Candidate {
    int size = 0;          ///< number of requests; 0: no candidate
    TimeNs start_ns = 0;   ///< time at which it is to start
    TimeNs latest_ns = 0;  ///< latest start with which it ends in time
  };
  /// A request in the queue.
  struct WaitingVisit {
    TimeNs deadline_ns = 0;
    VisitId id = 0;
  };

  CandidateQueue(const SymphonyParams& params, SymphonyLatency latency, TimeNs slo_ns)
      : params_(params), latency_(std::move(latency)), slo_ns_(slo_ns) {}

  /// Inserts a request that has arrived, and counts it in the rate.
  void arrive(TimeNs now, const WaitingVisit& visit) {
    rate_.count(now);
    insert(visit);
  }
  void insert(const WaitingVisit& visit);
  /// Removes a request that is in the queue.
  void erase(const WaitingVisit& visit);
  /// Computes the candidate anew. Calls drop(VisitId, is_late) for requests that it drops; `is_late` says
  /// that the request could not end in time even alone. Amortised O(log cap), and O(cap) once per sample of
  /// the rate while requests must be dropped; after erase() O(size of the queue).
  template <class Drop>
  void update(TimeNs now, Drop drop);
  const Candidate& candidate() const { return candidate_; }
  /// Returns the candidate's visits; valid until the next call of another function.
  std::span<const WaitingVisit> batch() const {
    return queue_.visits().first(static_cast<std::size_t>(candidate_.size));
  }
  /// Removes the candidate's visits. update() must follow.
  void take();

 private:
  TimeNs deadline(std::size_t place) const { return queue_.visits()[place].deadline_ns; }
  /// Returns the end of a batch of so many requests that starts now.
  TimeNs end(TimeNs now, std::size_t batch) const { return now + latency_.of(static_cast<int>(batch)); }
  int target(TimeNs now);
  void set_candidate(TimeNs now);

  SymphonyParams params_;
  SymphonyLatency latency_;
  TimeNs slo_ns_;
  RateMeter rate_;
  DeadlineQueue<WaitingVisit> queue_;
  std::size_t prefix_ = 0;  ///< number of requests before the suffix, except ones that time adds
  Candidate candidate_;
  int target_ = 0;
  TimeNs target_interval_ = -1;  ///< interval of the rate in which the target was computed
};

template <class Drop>
void CandidateQueue::update(TimeNs now, Drop drop) {
  while (prefix_ < queue_.size() && deadline(prefix_) < end(now, queue_.size() - prefix_)) ++prefix_;
  const std::size_t suffix = queue_.size() - prefix_;
  std::size_t dropped = 0;
  if (suffix == 0) {
    for (; dropped < prefix_; ++dropped) drop(queue_.visits()[dropped].id, true);
  } else if (prefix_ > 0) {
    const TimeNs end_ns = end(now, std::min(static_cast<std::size_t>(target(now)), suffix));
    for (; dropped < prefix_ && deadline(dropped) < end_ns; ++dropped)
      drop(queue_.visits()[dropped].id, deadline(dropped) < end(now, 1));
  }
  if (dropped > 0) queue_.erase(0, dropped);
  prefix_ -= dropped;
  set_candidate(now);
}

}  // namespace harness
