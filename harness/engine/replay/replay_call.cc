#include "harness/engine/replay/replay_call.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <span>
#include <utility>

#include "harness/core/error.h"

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

using Kind = ReplayCall::Kind;

constexpr std::uint8_t kKindBits = 4;
constexpr std::uint8_t kManyDecisions = 15;  // so many or more: their number follows
constexpr std::uint8_t kReasonShift = 3;

/// Adds without overflow, because times from a damaged log may be anything.
TimeNs sum(TimeNs a, TimeNs b) {
  return static_cast<TimeNs>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

TimeNs difference(TimeNs a, TimeNs b) {
  return static_cast<TimeNs>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

template <class Way>
void code_visit(Archive<Way>& archive, ReplayContext& context, ModuleId own, Visit& visit) {
  archive.number(visit.id, context.visit);
  archive.number(visit.module, own);
  archive.number(visit.stream);
  archive.number(visit.request, context.request);
  archive.number(visit.sent_ns, context.now);
  archive.number(visit.deadline_ns, sum(visit.sent_ns, context.slo_ns));
  archive.number(visit.arrived_ns, context.now);
  context.visit = visit.id;
  context.request = visit.request;
  context.slo_ns = difference(visit.deadline_ns, visit.sent_ns);
}

template <class Way>
void code_worker(Archive<Way>& archive, ReplayContext& context, WorkerId& worker) {
  archive.number(worker, context.worker);
  context.worker = worker;
}

template <class Way>
void code_batch(Archive<Way>& archive, ReplayContext& context, ReplayCall& call, ModuleId own) {
  code_worker(archive, context, call.worker);
  archive.number(call.module, own);
  archive.number(call.started_ns, call.now);
  archive.number(call.expected_end_ns, call.started_ns);
  archive.number(call.ended_ns, call.kind == Kind::kBatchStarted ? kNever : call.now);
  VisitId before = 0;
  archive.list(call.visits, [&](BatchVisit& visit) {
    archive.number(visit.id, before);
    archive.number(visit.arrived_ns, call.started_ns);
    archive.number(visit.joined_ns, visit.arrived_ns);
    before = visit.id;
  });
}

template <class Way>
void code_arguments(Archive<Way>& archive, ReplayContext& context, ReplayCall& call, ModuleId own) {
  const auto code_lost = [&] {
    archive.list(call.lost, [&](Visit& visit) { code_visit(archive, context, own, visit); });
  };
  switch (call.kind) {
    case Kind::kPlan:
      return code(archive, call.plan);
    case Kind::kArrival:
      return code_visit(archive, context, own, call.visit);
    case Kind::kCancelled:
      return archive.number(call.cancelled, context.visit);
    case Kind::kState:
      archive.number(call.module, own);
      return archive.list(call.values);
    case Kind::kWorkersLost:
      archive.list(call.workers, [&](WorkerId& worker) { code_worker(archive, context, worker); });
      return code_lost();
    case Kind::kBatchStarted:
    case Kind::kBatchDone:
      return code_batch(archive, context, call, own);
    case Kind::kBatchPreempted:
      code_batch(archive, context, call, own);
      return code_lost();
    case Kind::kTimer:
    case Kind::kCount:
      return;
    default:
      return code_worker(archive, context, call.worker);
  }
}

template <class Way>
void code_call(Way& archive, ReplayContext& context, ReplayCall& call, std::uint64_t& decisions,
               ModuleId own) {
  const auto few = static_cast<std::uint8_t>(std::min<std::uint64_t>(decisions, kManyDecisions));
  auto head = static_cast<std::uint8_t>(static_cast<std::uint8_t>(call.kind) | few << kKindBits);
  archive.byte(head);
  call.kind = static_cast<Kind>(head & ((1U << kKindBits) - 1));
  const std::uint64_t said = head >> kKindBits;
  if (said == kManyDecisions) {
    archive.word(decisions);
  } else {
    decisions = said;
  }
  archive.number(call.now, context.now);
  context.now = call.now;
  code_arguments(archive, context, call, own);
}

/// Codes a decision; `values` are the values of a report.
template <class Way>
void code_decision(Way& archive, ReplayContext& context, Decision& decision, std::vector<double>& values) {
  auto head = static_cast<std::uint8_t>(static_cast<std::uint8_t>(decision.kind) |
                                        static_cast<std::uint8_t>(decision.reason) << kReasonShift);
  archive.byte(head);
  decision.kind = static_cast<Decision::Kind>(head & ((1U << kReasonShift) - 1));
  decision.reason = static_cast<DropReason>(head >> kReasonShift);
  const bool names_visit = decision.kind == Decision::Kind::kDrop || decision.kind == Decision::Kind::kJoin;
  const bool names_worker = decision.kind == Decision::Kind::kJoin ||
                            decision.kind == Decision::Kind::kLaunch ||
                            decision.kind == Decision::Kind::kPreempt;
  if (names_visit) archive.number(decision.visit_or_first, context.visit);
  if (names_worker) code_worker(archive, context, decision.worker_or_count);
  if (decision.kind == Decision::Kind::kWakeAt) archive.number(decision.at_ns, context.now);
  if (decision.kind == Decision::Kind::kReport) archive.list(values);
}

/// Puts the decision into the list; returns false if it is not a valid decision.
bool give(const Decision& decision, std::span<const double> values, Decisions& out) {
  if (decision.reason >= DropReason::kCount) return false;
  switch (decision.kind) {
    case Decision::Kind::kDrop:
      out.drop(decision.visit_or_first, decision.reason);
      return true;
    case Decision::Kind::kJoin:
      out.join(decision.worker_or_count, decision.visit_or_first);
      return true;
    case Decision::Kind::kLaunch:
      out.launch(decision.worker_or_count);
      return true;
    case Decision::Kind::kPreempt:
      out.preempt(decision.worker_or_count);
      return true;
    case Decision::Kind::kWakeAt:
      out.wake_at(decision.at_ns);
      return true;
    case Decision::Kind::kReport:
      out.report(values);
      return true;
  }
  return false;
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

bool same_call(const ReplayCall& a, const ReplayCall& b) {
  const auto bytes_of = [](ReplayCall call) {
    std::vector<std::byte> bytes;
    WritingArchive archive(bytes);
    ReplayContext context;
    std::uint64_t decisions = 0;
    code_call(archive, context, call, decisions, 0);
    return bytes;
  };
  return bytes_of(a) == bytes_of(b);
}

ReplayWriter::ReplayWriter(ReplayLog& log) : log_(&log) {
  HARNESS_CHECK(log.bytes.empty(), "a replay log is written twice");
  log.bytes.push_back(kReplayVersion);
}

void ReplayWriter::write(ReplayCall& call, const Decisions& out, std::size_t first) {
  WritingArchive archive(log_->bytes);
  const std::span<const Decision> decisions = out.list().subspan(first);
  std::uint64_t count = decisions.size();
  code_call(archive, context_, call, count, log_->group);
  std::vector<double> values;
  for (Decision decision : decisions) {
    if (decision.kind == Decision::Kind::kReport) {
      const std::span<const double> reported = out.values(decision);
      values.assign(reported.begin(), reported.end());
    }
    code_decision(archive, context_, decision, values);
  }
  ++log_->callbacks;
  log_->decisions += count;
}

ReplayReader::ReplayReader(const ReplayLog& log) : log_(&log) {
  damaged_ = log.bytes.empty() || log.bytes.front() != kReplayVersion;
  at_ = 1;
}

bool ReplayReader::next(ReplayCall& call, Decisions& out) {
  out.clear();
  if (damaged_) return false;
  if (at_ == log_->bytes.size()) {
    damaged_ = callbacks_ != log_->callbacks;
    return false;
  }
  ReadingArchive archive(std::span(log_->bytes).subspan(at_));
  std::uint64_t count = 0;
  code_call(archive, context_, call, count, log_->group);
  damaged_ = call.kind >= Kind::kCount;
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count && !damaged_; ++i) {
    Decision decision;
    code_decision(archive, context_, decision, values);
    damaged_ = archive.failed() || !give(decision, values, out);
  }
  damaged_ = damaged_ || archive.failed() || ++callbacks_ > log_->callbacks;
  at_ += archive.at();
  return !damaged_;
}

}  // namespace harness
