// Clockwork's rules written down plainly: every list is computed anew whenever it is needed. For tests only.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/serving/decision.h"
#include "harness/serving/visit.h"
#include "systems/clockwork/clockwork_model.h"
#include "systems/clockwork/clockwork_params.h"

namespace harness {

/// Takes the same events as CentralScheduler.
class PlainClockwork {
 public:
  PlainClockwork(const ClockworkParams& params, std::span<const ClockworkModel> models, bool queues_behind)
      : params_(params), models_(models.begin(), models.end()), queues_behind_(queues_behind) {
    for (const ClockworkModel& model : models_) {
      for (int size = 1; size <= model.max_batch; ++size) {
        const bool power = (size & (size - 1)) == 0;
        const bool fits = params_.max_exec_ms == 0 || size == 1 ||
                          model.profile->latency(size) <= ms_to_ns(params_.max_exec_ms);
        if (fits && (power || params_.sizes == ClockworkSizes::kAll)) sizes_[model.module].push_back(size);
      }
    }
  }

  void on_worker_added(WorkerId worker) { std::erase(draining_, worker); }
  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) {
    free_ns_[worker] = -1;
    settle(now, out);
  }
  void on_worker_draining(WorkerId worker) {
    draining_.push_back(worker);
    free_ns_.erase(worker);
  }
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit> visits,
                       Decisions& out) {
    for (const WorkerId worker : workers) free_ns_.erase(worker);
    for (const Visit& visit : visits) enter(visit);
    settle(now, out);
  }
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) {
    enter(visit);
    settle(now, out);
  }
  void on_cancelled(VisitId visit) { remove(visit); }
  void on_batch_started(TimeNs now, const BatchView& batch, Decisions& out) {
    if (!queues_behind_) return;
    if (std::count(draining_.begin(), draining_.end(), batch.worker) > 0) return;
    free_ns_[batch.worker] = now + estimate_ns(batch.module, static_cast<int>(batch.visits.size()));
    settle(now, out);
  }
  void on_batch_done(const BatchView& batch) {
    measured_[{batch.module, static_cast<int>(batch.visits.size())}].push_back(batch.ended_ns -
                                                                               batch.started_ns);
  }
  void on_timer(TimeNs now, Decisions& out) { settle(now, out); }

 private:
  struct Waiting {
    TimeNs deadline_ns = 0;
    int order = 0;
    ModuleId module = 0;
    VisitId id = 0;
  };
  using Strategy = std::pair<ModuleId, int>;  ///< a model and a batch size

  void enter(const Visit& visit) {
    const Waiting waiting{visit.deadline_ns - ms_to_ns(params_.margin_ms), order_++, visit.module, visit.id};
    waiting_.push_back(waiting);
    for (auto& [strategy, from_ns] : from_ns_) {
      if (strategy.first == visit.module) from_ns = std::min(from_ns, waiting.deadline_ns);
    }
  }
  void remove(VisitId visit) {
    std::erase_if(waiting_, [visit](const Waiting& one) { return one.id == visit; });
  }

  /// Returns the largest estimate of the sizes up to this one.
  TimeNs estimate_ns(ModuleId module, int size) const {
    TimeNs most_ns = 0;
    for (const int smaller : sizes_.at(module)) {
      if (smaller <= size) most_ns = std::max(most_ns, estimate_of_size(module, smaller));
    }
    return most_ns;
  }
  TimeNs estimate_of_size(ModuleId module, int size) const {
    const auto found = measured_.find({module, size});
    const auto window = static_cast<std::size_t>(params_.estimate_window);
    if (found == measured_.end() || found->second.size() < window) {
      const auto of_module = [module](const ClockworkModel& model) { return model.module == module; };
      return std::find_if(models_.begin(), models_.end(), of_module)->profile->latency(size);
    }
    std::vector<TimeNs> last(found->second.end() - params_.estimate_window, found->second.end());
    std::sort(last.begin(), last.end());
    const double rank = std::ceil(params_.estimate_percentile * params_.estimate_window / 100);
    return last[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
  }

  std::vector<Waiting> queue_of(const Strategy& strategy) const {
    const auto found = from_ns_.find(strategy);
    std::vector<Waiting> queue;
    for (const Waiting& one : waiting_) {
      const bool there = found == from_ns_.end() || one.deadline_ns >= found->second;
      if (one.module == strategy.first && there) queue.push_back(one);
    }
    std::sort(queue.begin(), queue.end(), [](const Waiting& one, const Waiting& other) {
      return std::pair(one.deadline_ns, one.order) < std::pair(other.deadline_ns, other.order);
    });
    return queue;
  }
  bool filled(const Strategy& strategy) const {
    return queue_of(strategy).size() >= static_cast<std::size_t>(strategy.second);
  }

  void settle(TimeNs now, Decisions& out) {
    for (;;) {
      std::pair<TimeNs, WorkerId> first{kNever, 0};
      for (const auto& [worker, at_ns] : free_ns_) first = std::min(first, {at_ns, worker});
      if (waiting_.empty() || first.first == kNever) return;
      const TimeNs ahead_ns = ms_to_ns(params_.schedule_ahead_ms);
      if (first.first > now + ahead_ns) return out.wake_at(first.first - ahead_ns);
      if (!form_batch(std::max(now, first.first), first.second, out)) return;
    }
  }

  bool form_batch(TimeNs start_ns, WorkerId worker, Decisions& out) {
    if (params_.stale == ClockworkStale::kRefresh) {
      for (const ClockworkModel& model : models_) expire(model.module, start_ns, out);
    }
    std::vector<Strategy> passed_over;
    for (;;) {
      Strategy turn;
      if (!find_first(passed_over, turn)) return false;
      expire(turn.first, start_ns, out);
      int size = filled(turn) ? turn.second : 0;
      for (const int larger : sizes_[turn.first]) {
        if (params_.batch == ClockworkBatch::kLargest && larger >= turn.second &&
            filled({turn.first, larger}))
          size = larger;
      }
      if (size > 0) {
        launch({turn.first, size}, worker, out);
        return true;
      }
      for (const int larger : sizes_[turn.first]) {
        if (larger >= turn.second) passed_over.push_back({turn.first, larger});
      }
    }
  }

  bool find_first(const std::vector<Strategy>& passed_over, Strategy& first) const {
    std::tuple<TimeNs, int, std::size_t> least{kNever, 0, 0};
    for (std::size_t m = 0; m < models_.size(); ++m) {
      for (const int size : sizes_.at(models_[m].module)) {
        const Strategy strategy{models_[m].module, size};
        if (std::count(passed_over.begin(), passed_over.end(), strategy) > 0) continue;
        const std::vector<Waiting> queue = queue_of(strategy);
        if (queue.empty()) continue;
        const int tie = params_.ties == ClockworkTies::kSmall ? size : -size;
        const std::tuple rank{queue.front().deadline_ns - estimate_ns(strategy.first, size), tie, m};
        if (rank < least) {
          least = rank;
          first = strategy;
        }
      }
    }
    return std::get<0>(least) != kNever;
  }

  /// Takes visits that cannot end in time out of the model's queues. Drops visits that are in no queue then.
  void expire(ModuleId module, TimeNs start_ns, Decisions& out) {
    const std::vector<int>& sizes = sizes_[module];
    for (const int size : sizes) from_ns_[{module, size}] = start_ns + estimate_ns(module, size);
    std::vector<Waiting> late;
    for (const Waiting& one : waiting_) {
      const auto is_late = [&](int size) { return one.deadline_ns < from_ns_.at({module, size}); };
      if (one.module == module && std::all_of(sizes.begin(), sizes.end(), is_late)) late.push_back(one);
    }
    drop(late, DropReason::kEstimatedLate, out);
  }
  void drop(std::vector<Waiting> visits, DropReason reason, Decisions& out) {
    std::sort(visits.begin(), visits.end(), [](const Waiting& one, const Waiting& other) {
      return std::pair(one.deadline_ns, one.order) < std::pair(other.deadline_ns, other.order);
    });
    for (const Waiting& one : visits) {
      out.drop(one.id, reason);
      remove(one.id);
    }
  }

  void launch(const Strategy& strategy, WorkerId worker, Decisions& out) {
    const std::vector<Waiting> queue = queue_of(strategy);
    for (int i = 0; i < strategy.second; ++i) {
      out.join(worker, queue[static_cast<std::size_t>(i)].id);
      remove(queue[static_cast<std::size_t>(i)].id);
    }
    if (params_.overtaken == ClockworkOvertaken::kDrop) {
      std::vector<Waiting> overtaken;
      for (const Waiting& one : waiting_) {
        if (one.module == strategy.first && one.deadline_ns < queue.front().deadline_ns)
          overtaken.push_back(one);
      }
      drop(overtaken, DropReason::kEarlyDrop, out);
    }
    out.launch(worker);
    free_ns_.erase(worker);
  }

  ClockworkParams params_;
  std::vector<ClockworkModel> models_;
  bool queues_behind_;
  std::map<ModuleId, std::vector<int>> sizes_;
  std::map<Strategy, std::vector<TimeNs>> measured_;
  std::map<Strategy, TimeNs> from_ns_;  ///< visits due earlier have left the strategy's queue
  std::map<WorkerId, TimeNs> free_ns_;  ///< time from which each worker may get a batch; -1: now
  std::vector<WorkerId> draining_;
  std::vector<Waiting> waiting_;
  int order_ = 0;
};

}  // namespace harness
