// The rules of nexuslb's scheduler as plainly as can be, without delays: it uses sets and scans over
// everything, and keeps nothing that can be computed. For tests only.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "systems/symphony/deferred_scheduler.h"

namespace harness {

/// A scheduler with DeferredScheduler's interface, which keeps the same promises.
class PlainScheduler {
 public:
  PlainScheduler(const SymphonyParams& params, std::span<const SymphonyModel> models) : params_(params) {
    for (const SymphonyModel& model : models) models_.push_back({.info = model});
  }

  void on_worker_free(TimeNs now, WorkerId worker, Decisions& out) {
    gpus_.insert(gpus_.begin(), {now, worker});
    settle(now, out);
  }
  void on_worker_draining(WorkerId worker) {
    std::erase_if(gpus_, [worker](const Gpu& gpu) { return gpu.worker == worker; });
  }
  void on_workers_lost(TimeNs now, std::span<const WorkerId> workers, std::span<const Visit>,
                       Decisions& out) {
    std::erase_if(gpus_, [&](const Gpu& gpu) { return gpu.worker == workers.front(); });
    settle(now, out);
  }
  void on_arrival(TimeNs now, const Visit& visit, Decisions& out) {
    Model& model = models_[visit.module];
    model.suffix.insert({visit.deadline_ns, visit.id});
    model.arrivals.push_back(now);
    send_candidate(now, model, out);
    settle(now, out);
  }
  void on_cancelled(TimeNs now, VisitId visit, Decisions& out) {
    for (Model& model : models_) {
      const auto is_it = [&](const Query& query) { return query.second == visit; };
      if (std::erase_if(model.suffix, is_it) + std::erase_if(model.prefix, is_it) == 0) continue;
      model.suffix.merge(model.prefix);
      send_candidate(now, model, out);
    }
    settle(now, out);
  }
  void on_timer(TimeNs now, Decisions& out) { settle(now, out); }

 private:
  using Query = std::pair<TimeNs, VisitId>;
  struct Gpu {
    TimeNs free_ns = 0;
    WorkerId worker = 0;
  };
  struct Model {
    SymphonyModel info;
    std::set<Query> suffix = {};
    std::set<Query> prefix = {};
    std::vector<TimeNs> arrivals = {};
    std::vector<Query> batch = {};
    TimeNs exec_at = 0;
    TimeNs invalid_after = 0;
    bool planned = false;
    int pending = 0;  ///< order in which candidates became pending, from 1; 0: not pending
  };

  static TimeNs latency(const Model& model, std::size_t batch) {
    const std::vector<TimeNs>& of = model.info.profile->latency_ns;
    if (batch > of.size()) return kNever / 4;
    return *std::max_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(batch));
  }
  static std::optional<double> rate(const Model& model, TimeNs now) {
    const TimeNs current = now / (50 * kNsPerMs);
    std::map<TimeNs, int> counts;
    for (const TimeNs at : model.arrivals) ++counts[at / (50 * kNsPerMs)];
    const TimeNs first = std::max(counts.begin()->first, current - 100);
    int sum = 0;
    for (TimeNs interval = first; interval < current; ++interval) sum += counts[interval];
    if (first >= current) return std::nullopt;
    return sum / (static_cast<double>(current - first) * 0.05);
  }
  std::size_t target(const Model& model, TimeNs now) const {
    if (params_.drop == SymphonyDrop::kTimeout) return 1;
    const auto seconds = [&](std::size_t batch) { return ns_to_s(latency(model, batch)); };
    const double slo = ns_to_s(model.info.slo_ns);
    const std::optional<double> r = rate(model, now);
    if (!r) {
      std::size_t b = 1;
      while (latency(model, b + 1) <= model.info.slo_ns / 2) ++b;
      return b;
    }
    std::size_t b = 1;
    const auto n = [&] { return *r * seconds(b) / static_cast<double>(b); };
    while (seconds(b) * (1 + 1 / std::max(1.0, n())) <= slo) ++b;
    if (n() > 1) return std::max<std::size_t>(1, b - 1);
    b = 2;
    while (seconds(b) + static_cast<double>(b) / *r <= slo) ++b;
    return b - 1;
  }

  /// Forms the candidate as the README says in "Forming the candidate batch".
  void form(TimeNs now, Model& model, Decisions& out) {
    const auto done = [&](std::size_t batch) { return now + latency(model, batch); };
    const auto drop = [&](std::set<Query>& from) {
      const Query query = *from.begin();
      out.drop(query.second, query.first < done(1) ? DropReason::kEstimatedLate : DropReason::kEarlyDrop);
      from.erase(from.begin());
    };
    model.batch.clear();
    while (!model.suffix.empty() && model.suffix.begin()->first < done(model.suffix.size()))
      model.prefix.insert(model.suffix.extract(model.suffix.begin()));
    if (model.suffix.empty()) {
      while (!model.prefix.empty()) drop(model.prefix);
      return;
    }
    std::size_t b = std::min(target(model, now), model.suffix.size());
    while (!model.prefix.empty() && model.prefix.begin()->first < done(b)) drop(model.prefix);
    const TimeNs due = model.prefix.empty() ? model.suffix.begin()->first : model.prefix.begin()->first;
    while (b < model.prefix.size() + model.suffix.size() && due >= done(b + 1)) ++b;
    std::vector<Query> all(model.prefix.begin(), model.prefix.end());
    all.insert(all.end(), model.suffix.begin(), model.suffix.end());
    model.batch.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(b));
    const TimeNs frontrun = due - latency(model, b + 1);
    const TimeNs latest = due - latency(model, b);
    model.invalid_after = latest;
    model.exec_at = now;
    if (params_.schedulable == SymphonySchedulable::kFrontrun) model.exec_at = std::max(now, frontrun);
    if (params_.schedulable == SymphonySchedulable::kLatest) model.exec_at = std::max(now, latest);
  }
  void send_candidate(TimeNs now, Model& model, Decisions& out) {
    form(now, model, out);
    model.pending = 0;
    model.planned = !model.batch.empty();
  }
  void grant(TimeNs now, Model& model, Decisions& out) {
    form(now, model, out);
    if (!model.batch.empty() && model.exec_at <= now) {
      auto gpu = gpus_.begin();
      for (auto other = gpus_.begin(); other != gpus_.end(); ++other) {
        const bool is_better = params_.gpu == SymphonyGpu::kIdleLongest ? other->free_ns < gpu->free_ns
                                                                        : other->worker < gpu->worker;
        if (is_better) gpu = other;
      }
      for (const Query& query : model.batch) {
        out.join(gpu->worker, query.second);
        model.prefix.erase(query);
        model.suffix.erase(query);
      }
      out.launch(gpu->worker);
      gpus_.erase(gpu);
    }
    send_candidate(now, model, out);
  }
  /// Returns the pending model that is invalid first; of equal ones the last to become so.
  Model* first_pending() {
    Model* first = nullptr;
    for (Model& model : models_) {
      if (model.pending == 0) continue;
      if (first == nullptr ||
          std::pair(model.invalid_after, -model.pending) < std::pair(first->invalid_after, -first->pending))
        first = &model;
    }
    return first;
  }
  Model* first_planned() {
    Model* first = nullptr;
    for (Model& model : models_) {
      if (model.planned && (first == nullptr || model.exec_at < first->exec_at)) first = &model;
    }
    return first;
  }
  void settle(TimeNs now, Decisions& out) {
    for (;;) {
      Model* const pending = first_pending();
      Model* const planned = first_planned();
      if (pending != nullptr && pending->invalid_after < now) {
        send_candidate(now, *pending, out);
      } else if (pending != nullptr && !gpus_.empty()) {
        grant(now, *pending, out);
      } else if (planned != nullptr && planned->exec_at <= now) {
        planned->planned = false;
        planned->pending = ++pendings_;
      } else {
        if (planned != nullptr) out.wake_at(planned->exec_at);
        if (pending != nullptr) out.wake_at(pending->invalid_after + 1);
        return;
      }
    }
  }

  SymphonyParams params_;
  std::vector<Model> models_;
  std::vector<Gpu> gpus_;  ///< idle ones, the one heard of last in front
  int pendings_ = 0;
};

}  // namespace harness
