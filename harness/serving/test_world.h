// For tests: a small world, and a scheduler driven by hand whose decisions read as text.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/test_time.h"
#include "harness/serving/decision.h"
#include "harness/serving/scheduler.h"
#include "harness/serving/serving_context.h"

namespace harness {

/// Returns a profile with latency fixed_ms + per_visit_ms x b for b = 1..max_batch.
inline Profile linear_profile(double fixed_ms, double per_visit_ms, int max_batch) {
  Profile profile;
  profile.model = "linear";
  for (int b = 1; b <= max_batch; ++b) profile.latency_ns.push_back(ms_to_ns(fixed_ms + per_visit_ms * b));
  return profile;
}

/// Returns a profile with these latencies for b = 1, 2, ...
inline Profile profile_of_ms(const std::vector<double>& latencies_ms) {
  Profile profile;
  profile.model = "listed";
  for (const double ms : latencies_ms) profile.latency_ns.push_back(ms_to_ns(ms));
  return profile;
}

/// A pipeline with its profiles and the context that points to them. `edges` are in topological order;
/// without any the pipeline is a chain.
class TestWorld {
 public:
  using Edges = std::vector<std::pair<ModuleId, ModuleId>>;

  TestWorld(std::vector<Profile> profiles, TimeNs slo_ns, int workers, Edges edges = {})
      : profiles_(std::move(profiles)) {
    const std::size_t count = profiles_.size();
    for (std::size_t k = 0; edges.size() + 1 < count && k + 1 < count; ++k) {
      edges.push_back({static_cast<ModuleId>(k), static_cast<ModuleId>(k + 1)});
    }
    pipeline_.name = "test";
    pipeline_.modules.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      pipeline_.modules[k].name = "m" + std::to_string(k);
      context.profiles.push_back(&profiles_[k]);
    }
    for (const auto& [from, to] : edges) {
      pipeline_.modules[from].subs.push_back(to);
      pipeline_.modules[to].pres.push_back(from);
    }
    context.pipeline = &pipeline_;
    context.slo_ns = slo_ns;
    context.workers = workers;
    context.seed = 1;
  }
  TestWorld(const TestWorld&) = delete;
  TestWorld& operator=(const TestWorld&) = delete;

  const Pipeline& pipeline() const { return pipeline_; }

  /// Returns a plan with one worker per module, these maximum batch sizes, and budgets that share the SLO
  /// equally.
  Plan plan(const std::vector<int>& caps) const {
    Plan plan;
    for (std::size_t k = 0; k < caps.size(); ++k) {
      const TimeNs budget = context.slo_ns / static_cast<TimeNs>(caps.size());
      plan.modules.push_back({1, caps[k], profiles_[k].latency(caps[k]), budget});
    }
    return plan;
  }

  ServingContext context;

 private:
  Pipeline pipeline_;
  std::vector<Profile> profiles_;
};

/// Models that send nothing on, and the context that points to them.
class SideBySideWorld {
 public:
  SideBySideWorld(std::vector<Profile> profiles, std::vector<Stream> streams, int workers)
      : profiles_(std::move(profiles)) {
    pipeline_.name = "side by side";
    pipeline_.modules.resize(profiles_.size());
    for (std::size_t m = 0; m < profiles_.size(); ++m) {
      pipeline_.modules[m].name = "m" + std::to_string(m);
      context.profiles.push_back(&profiles_[m]);
    }
    context.pipeline = &pipeline_;
    context.streams = std::move(streams);
    for (const Stream& stream : context.streams) context.slo_ns = std::max(context.slo_ns, stream.slo_ns);
    context.workers = workers;
    context.seed = 1;
  }
  SideBySideWorld(const SideBySideWorld&) = delete;
  SideBySideWorld& operator=(const SideBySideWorld&) = delete;

  ServingContext context;

 private:
  std::vector<Profile> profiles_;
  Pipeline pipeline_;
};

/// Returns the decisions as text, in their order: "join 0<3; launch 0; drop 4 early_drop; wake 5" for worker
/// 0 and the visits 3 and 4.
inline std::string text_of(const Decisions& decisions) {
  std::string text;
  for (const Decision& decision : decisions.list()) {
    if (!text.empty()) text += "; ";
    const std::string first = std::to_string(decision.visit_or_first);
    const std::string worker = std::to_string(decision.worker_or_count);
    switch (decision.kind) {
      case Decision::Kind::kDrop:
        text += "drop " + first + " " + name_of(decision.reason);
        break;
      case Decision::Kind::kJoin:
        text += "join " + worker + "<" + first;
        break;
      case Decision::Kind::kLaunch:
        text += "launch " + worker;
        break;
      case Decision::Kind::kPreempt:
        text += "preempt " + worker;
        break;
      case Decision::Kind::kWakeAt:
        text += "wake " + std::to_string(decision.at_ns);
        break;
      case Decision::Kind::kReport:
        text += "report " + worker;
        break;
    }
  }
  return text;
}

/// Calls a scheduler as the host would and returns its decisions as text. Times are in nanoseconds.
class SchedulerDriver {
 public:
  SchedulerDriver(std::unique_ptr<Scheduler> scheduler, const ServingContext& context, ModuleId module = 0)
      : scheduler_(std::move(scheduler)), context_(context), module_(module) {}

  std::string plan(TimeNs now, const Plan& plan) {
    return call([&](Decisions& out) { scheduler_->on_plan(now, plan, out); });
  }
  /// Adds a worker, which falls free.
  std::string add(TimeNs now, WorkerId worker) {
    return call([&](Decisions& out) {
      scheduler_->on_worker_added(now, worker, out);
      scheduler_->on_worker_free(now, worker, out);
    });
  }
  std::string drain(TimeNs now, WorkerId worker) {
    return call([&](Decisions& out) { scheduler_->on_worker_draining(now, worker, out); });
  }
  /// Loses the worker. The visits of its forming batch, named in the order of joining, all came at `arrived`
  /// and were sent at `sent`.
  std::string lose(TimeNs now, WorkerId worker, std::initializer_list<VisitId> forming, TimeNs arrived = 0,
                   TimeNs sent = 0) {
    std::vector<Visit> visits;
    for (const VisitId id : forming)
      visits.push_back({id, module_, 0, id, sent, sent + context_.slo_ns, arrived});
    return call([&](Decisions& out) { scheduler_->on_workers_lost(now, {&worker, 1}, visits, out); });
  }
  /// Lets the visit arrive now; its request was sent at `sent`.
  std::string arrive(TimeNs now, VisitId id, TimeNs sent) {
    const Visit visit{id, module_, 0, id, sent, sent + context_.slo_ns, now};
    return call([&](Decisions& out) { scheduler_->on_arrival(now, visit, out); });
  }
  std::string cancel(TimeNs now, VisitId id) {
    return call([&](Decisions& out) { scheduler_->on_cancelled(now, id, out); });
  }
  /// Starts a launched batch, which is expected to end at `end`.
  std::string started(TimeNs now, WorkerId worker, TimeNs end, int visits = 1) {
    const std::vector<BatchVisit> batch(static_cast<std::size_t>(visits));
    return call([&](Decisions& out) {
      scheduler_->on_batch_started(now, {worker, module_, now, end, batch}, out);
    });
  }
  /// Ends a batch now that started at `start`.
  std::string done(TimeNs now, WorkerId worker, TimeNs start, int visits = 1) {
    const std::vector<BatchVisit> batch(static_cast<std::size_t>(visits));
    return call([&](Decisions& out) {
      scheduler_->on_batch_done(now, {worker, module_, start, now, batch, now}, out);
    });
  }
  std::string free(TimeNs now, WorkerId worker) {
    return call([&](Decisions& out) { scheduler_->on_worker_free(now, worker, out); });
  }
  std::string timer(TimeNs now) {
    return call([&](Decisions& out) { scheduler_->on_timer(now, out); });
  }

 private:
  template <class Call>
  std::string call(Call what) {
    Decisions out;
    what(out);
    return text_of(out);
  }

  std::unique_ptr<Scheduler> scheduler_;
  const ServingContext& context_;
  ModuleId module_;
};

}  // namespace harness
