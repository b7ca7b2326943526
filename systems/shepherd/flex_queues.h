// FLEX's queues: one per model, in order of deadline (SHEPHERD, Algorithm 1, lines 2 and 3).
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/deadline_queue.h"
#include "systems/shepherd/feasible_batch.h"
#include "systems/shepherd/flex_latency.h"
#include "systems/shepherd/flex_model.h"
#include "systems/shepherd/flex_params.h"
#include "systems/shepherd/flex_visit.h"
#include "systems/shepherd/merged_visits.h"

namespace harness {

/// The queues of all models. A model is named by its index in the list that the constructor gets.
class FlexQueues {
 public:
  FlexQueues(std::span<const FlexModel> models, FlexBatch rule, int max_batch) : rule_(rule) {
    for (const FlexModel& model : models) {
      const int cap = std::min({model.max_batch, max_batch, model.profile->max_batch()});
      queues_.push_back({DeadlineQueue<FlexVisit>(), FlexLatency(*model.profile, cap), 0});
    }
  }

  int models() const { return static_cast<int>(queues_.size()); }
  const FlexLatency& latency(int model) const { return at(model).latency; }
  std::span<const FlexVisit> visits(int model) const { return at(model).visits.visits(); }
  std::size_t size() const { return places_in_use_; }

  void insert(int model, const FlexVisit& visit) {
    Queue& queue = at(model);
    queue.visits.insert(visit);
    queue.most = queue.latency.cap();
    if (visit.id >= places_.size()) places_.resize(std::max<std::size_t>(visit.id + 1, 2 * places_.size()));
    places_[visit.id] = {visit.deadline_ns, model};
    ++places_in_use_;
    next_expiry_ns_ = std::min(next_expiry_ns_, visit.deadline_ns - queue.latency.least());
  }

  /// Forgets a visit. Returns false if it is not queued.
  bool erase(VisitId id) {
    if (id >= places_.size() || places_[id].model == kNowhere) return false;
    at(places_[id].model).visits.erase({places_[id].deadline_ns, id});
    leave(id);
    return true;
  }

  /// True if a visit due at `deadline_ns` must be late: no batch that it could be in ends by then.
  bool hopeless(int model, TimeNs deadline_ns, TimeNs now) const {
    return deadline_ns < now + latency(model).least();
  }

  /// Takes the hopeless visits out and calls drop(id) for each, model by model, in order of deadline. O(1)
  /// while no visit is hopeless.
  template <class Function>
  void expire(TimeNs now, Function drop) {
    if (now <= next_expiry_ns_) return;
    next_expiry_ns_ = std::numeric_limits<TimeNs>::max();
    for (Queue& queue : queues_) {
      const TimeNs least_ns = queue.latency.least();
      const std::span<const FlexVisit> visits = queue.visits.visits();
      const std::size_t count = first_due_from(visits, now + least_ns);
      for (const FlexVisit& visit : visits.first(count)) {
        leave(visit.id);
        drop(visit.id);
      }
      if (count > 0) queue.visits.erase(0, count);
      if (!queue.visits.empty()) {
        next_expiry_ns_ = std::min(next_expiry_ns_, queue.visits.front().deadline_ns - least_ns);
      }
    }
  }

  /// Returns the largest feasible batch of one model.
  FeasibleBatch largest(int model, TimeNs now) {
    Queue& queue = at(model);
    const FeasibleBatch batch = largest_batch(rule_, {queue.visits.visits(), {}}, queue.latency, now);
    queue.most = batch.size;
    return batch;
  }

  /// Returns false only if no batch of `need` visits or more is feasible. Exact if latencies grow with the
  /// batch size.
  bool may_have(int model, TimeNs now, int need) const {
    return need <= latency(model).cap() && may_fill({visits(model), {}}, latency(model), now, need);
  }

  /// Returns the largest feasible batch of the model's queue together with `running`, visits of the same
  /// model in order of deadline, if it has at least `need` visits; otherwise some smaller batch or an empty
  /// one.
  FeasibleBatch largest_with(int model, TimeNs now, std::span<const FlexVisit> running, int need) const {
    const MergedVisits merged{visits(model), running};
    if (need > latency(model).cap() || !may_fill(merged, latency(model), now, need)) return {};
    return largest_batch(rule_, merged, latency(model), now);
  }

  /// Returns the largest feasible batch of all models and sets `model` to its model, the first one if several
  /// have equally large batches. Looks again only at queues that could have the largest: with kSkip a queue's
  /// largest batch never grows without new visits.
  FeasibleBatch largest_of_all(TimeNs now, int& model) {
    if (rule_ == FlexBatch::kPrefix) forget_sizes();
    while (true) {
      model = most_promising();
      const int most = most_of(at(model));
      if (most == 0) return {};
      const FeasibleBatch batch = largest(model, now);
      if (batch.size == most) return batch;
    }
  }

  /// Moves a batch of the model's queue to the end of `out`.
  void take(int model, const FeasibleBatch& batch, std::vector<FlexVisit>& out) {
    const std::size_t first = first_due_from(visits(model), batch.from_ns);
    const auto count = static_cast<std::size_t>(batch.size);
    const std::span<const FlexVisit> taken = visits(model).subspan(first, count);
    out.insert(out.end(), taken.begin(), taken.end());
    remove(model, first, count);
  }
  /// Removes `count` visits of the model's queue, from position `first` on.
  void remove(int model, std::size_t first, std::size_t count) {
    for (const FlexVisit& visit : visits(model).subspan(first, count)) leave(visit.id);
    at(model).visits.erase(first, count);
  }

 private:
  static constexpr int kNowhere = -1;

  struct Queue {
    DeadlineQueue<FlexVisit> visits;
    FlexLatency latency;
    int most = 0;  ///< upper limit of the size of a feasible batch
  };
  /// The place of a visit, so that it can be found by its id.
  struct Place {
    TimeNs deadline_ns = 0;
    int model = kNowhere;
  };

  /// Forgets the limits of batch sizes: with kPrefix a batch may grow when earlier visits expire.
  void forget_sizes() {
    for (Queue& queue : queues_) queue.most = queue.latency.cap();
  }
  static int most_of(const Queue& queue) {
    return std::min(queue.most, static_cast<int>(queue.visits.size()));
  }
  int most_promising() const {
    int best = 0;
    for (int model = 1; model < models(); ++model) {
      if (most_of(at(model)) > most_of(at(best))) best = model;
    }
    return best;
  }
  Queue& at(int model) { return queues_[static_cast<std::size_t>(model)]; }
  const Queue& at(int model) const { return queues_[static_cast<std::size_t>(model)]; }
  void leave(VisitId id) {
    places_[id].model = kNowhere;
    --places_in_use_;
  }

  FlexBatch rule_;
  std::vector<Queue> queues_;
  std::vector<Place> places_;  ///< place of each visit, by id
  std::size_t places_in_use_ = 0;
  TimeNs next_expiry_ns_ = std::numeric_limits<TimeNs>::max();
};

}  // namespace harness
