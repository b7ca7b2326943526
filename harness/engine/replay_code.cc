#include "harness/engine/replay_code.h"

#include <algorithm>
#include <span>
#include <utility>

#include "harness/core/error.h"

namespace harness {
namespace {

using Kind = ReplayCall::Kind;

constexpr std::byte kVersion{5};
constexpr std::uint8_t kKindBits = 4;
constexpr std::uint8_t kManyDecisions = 15;  // so many or more: their number follows
constexpr std::uint8_t kReasonShift = 3;

/// Times from a damaged log may be anything.
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
  archive.number(visit.due_ns, sum(visit.sent_ns, context.slo_ns));
  archive.number(visit.arrived_ns, context.now);
  context.visit = visit.id;
  context.request = visit.request;
  context.slo_ns = difference(visit.due_ns, visit.sent_ns);
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

/// A report's values are `values`.
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

/// Puts the decision into the list; false when it is none.
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
  log.bytes.push_back(kVersion);
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
  damaged_ = log.bytes.empty() || log.bytes.front() != kVersion;
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
