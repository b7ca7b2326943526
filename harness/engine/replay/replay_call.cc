#include "harness/engine/replay/replay_call.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <span>

#include "harness/core/wording.h"

namespace harness {
namespace {

constexpr std::size_t kShownEntries = 8;  // number of entries of a list that are shown in texts

bool same_values(std::span<const double> a, std::span<const double> b) {
  const auto same = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

std::string values_text(std::span<const double> values) {
  std::string text = counted(values.size(), "value") + ":";
  for (const double value : values.first(std::min(values.size(), kShownEntries))) text += " " + number(value);
  return text + (values.size() > kShownEntries ? " ..." : "");
}

/// Returns ", module 2"; nothing for index 0.
std::string but_first(const char* what, std::uint16_t index) {
  return index == 0 ? "" : std::string(", ") + what + " " + std::to_string(index);
}

std::string batch_text(const ReplayCall& call) {
  std::string text = "worker " + std::to_string(call.worker) + but_first("module", call.module) +
                     ", started " + time_text(call.started_ns) + ", expected to end " +
                     time_text(call.expected_end_ns) +
                     (call.ended_ns == kNever ? "" : ", ended " + time_text(call.ended_ns)) + ", " +
                     counted(call.visits.size(), "visit") + ":";
  for (std::size_t i = 0; i < std::min(call.visits.size(), kShownEntries); ++i) {
    const BatchVisit& visit = call.visits[i];
    text += " " + std::to_string(visit.id) + " (arrived " + time_text(visit.arrived_ns) + ", joined " +
            time_text(visit.joined_ns) + ")";
  }
  return text + (call.visits.size() > kShownEntries ? " ..." : "");
}

std::string plan_text(const Plan& plan) {
  std::string text;
  for (const ModulePlan& module : plan.modules) {
    text += (text.empty() ? "" : "; ") + counted(module.workers, "worker") + ", batches of " +
            std::to_string(module.max_batch) + ", execution " + time_text(module.exec_ns) + ", budget " +
            time_text(module.budget_ns);
  }
  for (const WorkerGroup& group : plan.groups) {
    text += "; " + counted(group.workers, "worker") + " for modules";
    for (const ModuleId module : group.modules) text += " " + std::to_string(module);
    for (std::size_t i = 0; i < group.max_batches.size(); ++i)
      text += (i == 0 ? ", batches of " : ", ") + std::to_string(group.max_batches[i]);
    if (group.cycle_ns > 0) text += ", every " + time_text(group.cycle_ns);
  }
  return text;
}

std::string visit_text(const Visit& visit) {
  return "visit " + std::to_string(visit.id) + but_first("module", visit.module) +
         but_first("stream", visit.stream) + ", request " + std::to_string(visit.request) + ", sent " +
         time_text(visit.sent_ns) + ", deadline " + time_text(visit.deadline_ns) + ", arrived " +
         time_text(visit.arrived_ns);
}

std::string queued_again_text(const ReplayCall& call) {
  std::string text = counted(call.lost.size(), "visit") + ":";
  for (std::size_t i = 0; i < std::min(call.lost.size(), kShownEntries); ++i)
    text += " (" + visit_text(call.lost[i]) + ")";
  return text + (call.lost.size() > kShownEntries ? " ..." : "");
}

std::string lost_text(const ReplayCall& call) {
  std::string text = call.workers.size() == 1 ? "worker" : "workers";
  for (std::size_t i = 0; i < std::min(call.workers.size(), kShownEntries); ++i)
    text += " " + std::to_string(call.workers[i]);
  return text + (call.workers.size() > kShownEntries ? " ..., " : ", ") + queued_again_text(call);
}

std::string arguments(const ReplayCall& call) {
  switch (call.kind) {
    case ReplayCall::Kind::kPlan:
      return plan_text(call.plan);
    case ReplayCall::Kind::kArrival:
      return visit_text(call.visit);
    case ReplayCall::Kind::kWorkersLost:
      return lost_text(call);
    case ReplayCall::Kind::kCancelled:
      return "visit " + std::to_string(call.cancelled);
    case ReplayCall::Kind::kBatchStarted:
    case ReplayCall::Kind::kBatchDone:
      return batch_text(call);
    case ReplayCall::Kind::kBatchPreempted:
      return batch_text(call) + "; queued again: " + queued_again_text(call);
    case ReplayCall::Kind::kState:
      return "module " + std::to_string(call.module) + ", " + values_text(call.values);
    case ReplayCall::Kind::kTimer:
      return "";
    default:
      return "worker " + std::to_string(call.worker);
  }
}

}  // namespace

void deliver(const ReplayCall& call, Scheduler& scheduler, Decisions& out) {
  const TimeNs now = call.now;
  const BatchView batch{call.worker,          call.module, call.started_ns,
                        call.expected_end_ns, call.visits, call.ended_ns};
  switch (call.kind) {
    case ReplayCall::Kind::kPlan:
      return scheduler.on_plan(now, call.plan, out);
    case ReplayCall::Kind::kWorkerAdded:
      return scheduler.on_worker_added(now, call.worker, out);
    case ReplayCall::Kind::kWorkerDraining:
      return scheduler.on_worker_draining(now, call.worker, out);
    case ReplayCall::Kind::kWorkersLost:
      return scheduler.on_workers_lost(now, call.workers, call.lost, out);
    case ReplayCall::Kind::kArrival:
      return scheduler.on_arrival(now, call.visit, out);
    case ReplayCall::Kind::kCancelled:
      return scheduler.on_cancelled(now, call.cancelled, out);
    case ReplayCall::Kind::kWorkerFree:
      return scheduler.on_worker_free(now, call.worker, out);
    case ReplayCall::Kind::kBatchStarted:
      return scheduler.on_batch_started(now, batch, out);
    case ReplayCall::Kind::kBatchDone:
      return scheduler.on_batch_done(now, batch, out);
    case ReplayCall::Kind::kBatchPreempted:
      return scheduler.on_batch_preempted(now, batch, call.lost, out);
    case ReplayCall::Kind::kState:
      return scheduler.on_state(now, call.module, call.values, out);
    case ReplayCall::Kind::kTimer:
      return scheduler.on_timer(now, out);
    case ReplayCall::Kind::kCount:
      return;
  }
}

bool same_decision(const Decisions& a, const Decisions& b, std::size_t i) {
  if (i >= a.list().size() || i >= b.list().size()) return false;
  const Decision& x = a.list()[i];
  const Decision& y = b.list()[i];
  const bool reports = x.kind == Decision::Kind::kReport && y.kind == Decision::Kind::kReport;
  return reports ? same_values(a.values(x), b.values(y)) : x == y;
}

const char* name_of(ReplayCall::Kind kind) {
  constexpr const char* kNames[] = {"on_plan",         "on_worker_added",  "on_worker_draining",
                                    "on_workers_lost", "on_arrival",       "on_cancelled",
                                    "on_worker_free",  "on_batch_started", "on_batch_done",
                                    "on_state",        "on_timer",         "on_batch_preempted"};
  return kNames[static_cast<int>(kind)];
}

std::string text_of(const ReplayCall& call) {
  return std::string(name_of(call.kind)) + "(" + arguments(call) + ")";
}

std::string decision_text(const Decisions& decisions, std::size_t i) {
  if (i >= decisions.list().size()) return "nothing";
  const Decision& decision = decisions.list()[i];
  const std::string visit = "visit " + std::to_string(decision.visit_or_first);
  const std::string worker = "worker " + std::to_string(decision.worker_or_count);
  switch (decision.kind) {
    case Decision::Kind::kDrop:
      return "drop(" + visit + ", " + name_of(decision.reason) + ")";
    case Decision::Kind::kJoin:
      return "join(" + worker + ", " + visit + ")";
    case Decision::Kind::kLaunch:
      return "launch(" + worker + ")";
    case Decision::Kind::kPreempt:
      return "preempt(" + worker + ")";
    case Decision::Kind::kWakeAt:
      return "wake_at(" + time_text(decision.at_ns) + ")";
    case Decision::Kind::kReport:
      return "report(" + values_text(decisions.values(decision)) + ")";
  }
  return "";
}

std::string time_text(TimeNs at) {
  std::array<char, 48> text{};
  const TimeNs size = at < 0 ? -(at + 1) + 1 : at;
  std::snprintf(text.data(), text.size(), "%s%lld.%09lld s", at < 0 ? "-" : "",
                static_cast<long long>(size / kNsPerS), static_cast<long long>(size % kNsPerS));
  return text.data();
}

}  // namespace harness
