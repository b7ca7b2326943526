// Triton's dynamic batcher written down plainly, as its documentation and code say: a list of requests, a
// cursor that walks over it, and a policy that is applied wherever the cursor is. For tests only.
#pragma once

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"
#include "systems/triton/triton_params.h"

namespace harness {

/// The scheduler of a module's queue. It is told of no losses of instances.
class PlainTriton final : public Scheduler {
 public:
  explicit PlainTriton(const TritonParams& params) : params_(params) {}

  void on_plan(TimeNs now, const Plan& plan, Decisions& out) override {
    planned_ = plan.modules[0].max_batch;
    serve(now, out);
  }
  void on_worker_added(TimeNs, WorkerId, Decisions&) override {}
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) override {
    idle_.insert(worker);
    serve(now, out);
  }
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) override {
    const std::size_t most = static_cast<std::size_t>(params_.max_queue_size);
    if (params_.dynamic_batching && most > 0 && queue_.size() + delayed_.size() >= most) {
      out.drop(visit.id, DropReason::kOverload);
      return;
    }
    const bool expires = params_.dynamic_batching && params_.default_timeout_us > 0;
    queue_.push_back({visit.id, now, expires ? now + params_.default_timeout_us * kNsPerUs : kNever});
    serve(now, out);
  }
  void on_cancelled(TimeNs, VisitId visit, Decisions&) override {
    const auto is_it = [visit](const Request& one) { return one.id == visit; };
    std::erase_if(queue_, is_it);
    std::erase_if(delayed_, is_it);
  }
  void on_timer(TimeNs now, Decisions& out) override { serve(now, out); }
  void on_batch_started(TimeNs, const BatchView&, Decisions&) override {}
  void on_worker_draining(TimeNs, WorkerId, Decisions&) override {}
  void on_workers_lost(TimeNs, std::span<const WorkerId>, std::span<const Visit>, Decisions&) override {}

 private:
  struct Request {
    VisitId id = 0;
    TimeNs queued_ns = 0;
    TimeNs timeout_ns = 0;
  };
  /// The requests that the cursor has passed.
  struct Pending {
    int count = 0;
    int best = 0;  ///< largest preferred size passed; 0: none
    TimeNs oldest_ns = kNever;
    TimeNs timeout_ns = kNever;
  };

  int max_batch() const {
    if (!params_.dynamic_batching) return 1;
    return params_.max_batch_size == 0 ? planned_ : std::min(planned_, params_.max_batch_size);
  }
  std::set<int> preferred() const {
    std::set<int> sizes;
    for (const int size : params_.preferred_sizes()) {
      if (params_.dynamic_batching && size <= max_batch()) sizes.insert(size);
    }
    if (sizes.empty()) sizes.insert(max_batch());
    return sizes;
  }

  /// Removes the requests from the cursor on that have timed out, up to the first that has not.
  void apply_policy(std::size_t cursor, TimeNs now, Decisions& out) {
    while (cursor < queue_.size() && now > queue_[cursor].timeout_ns) {
      const Request request = queue_[cursor];
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(cursor));
      if (params_.timeout_action == TimeoutAction::kDelay) {
        delayed_.push_back({request.id, request.queued_ns, kNever});
      } else {
        out.drop(request.id, DropReason::kExpired);
      }
    }
  }

  Pending walk(TimeNs now, Decisions& out) {
    Pending pending;
    for (;;) {
      const auto cursor = static_cast<std::size_t>(pending.count);
      apply_policy(cursor, now, out);
      if (pending.count == max_batch() || cursor == queue_.size() + delayed_.size()) return pending;
      const Request& request = cursor < queue_.size() ? queue_[cursor] : delayed_[cursor - queue_.size()];
      ++pending.count;
      pending.oldest_ns = std::min(pending.oldest_ns, request.queued_ns);
      pending.timeout_ns = std::min(pending.timeout_ns, request.timeout_ns);
      if (preferred().contains(pending.count)) pending.best = pending.count;
    }
  }

  void serve(TimeNs now, Decisions& out) {
    while (!idle_.empty()) {
      const Pending pending = walk(now, out);
      if (pending.count == 0) return;
      const TimeNs delay_ns = params_.dynamic_batching ? params_.max_queue_delay_us * kNsPerUs : 0;
      const bool exceeded = delay_ns > 0 && now - pending.oldest_ns >= delay_ns;
      int size = 0;
      if (pending.best > 0 && !exceeded) {
        size = pending.best;
      } else if (exceeded || delay_ns == 0) {
        size = pending.count;
      } else {
        out.wake_at(pending.oldest_ns + delay_ns);
        if (pending.timeout_ns < kNever) out.wake_at(pending.timeout_ns + 1);
        return;
      }
      send(size, out);
    }
  }

  void send(int size, Decisions& out) {
    const WorkerId worker = *idle_.begin();
    idle_.erase(idle_.begin());
    for (int i = 0; i < size; ++i) {
      std::vector<Request>& from = queue_.empty() ? delayed_ : queue_;
      out.join(worker, from.front().id);
      from.erase(from.begin());
    }
    out.launch(worker);
  }

  TritonParams params_;
  int planned_ = 1;
  std::set<WorkerId> idle_;
  std::vector<Request> queue_;
  std::vector<Request> delayed_;
};

}  // namespace harness
