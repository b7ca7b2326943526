#include "harness/engine/replay/replay_code.h"

#include <algorithm>
#include <span>
#include <vector>

#include "harness/core/archive.h"
#include "harness/core/check.h"

namespace harness {
namespace {

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
void code_visit(Archive<Way>& archive, ReplayCode& state, ModuleId own, Visit& visit) {
  archive.number(visit.id, state.visit);
  archive.number(visit.module, own);
  archive.number(visit.stream);
  archive.number(visit.request, state.request);
  archive.number(visit.sent_ns, state.now);
  archive.number(visit.deadline_ns, sum(visit.sent_ns, state.slo_ns));
  archive.number(visit.arrived_ns, state.now);
  state.visit = visit.id;
  state.request = visit.request;
  state.slo_ns = difference(visit.deadline_ns, visit.sent_ns);
}

template <class Way>
void code_worker(Archive<Way>& archive, ReplayCode& state, WorkerId& worker) {
  archive.number(worker, state.worker);
  state.worker = worker;
}

template <class Way>
void code_batch(Archive<Way>& archive, ReplayCode& state, ReplayCall& call, ModuleId own) {
  code_worker(archive, state, call.worker);
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
void code_arguments(Archive<Way>& archive, ReplayCode& state, ReplayCall& call, ModuleId own) {
  const auto code_lost = [&] {
    archive.list(call.lost, [&](Visit& visit) { code_visit(archive, state, own, visit); });
  };
  switch (call.kind) {
    case Kind::kPlan:
      return code(archive, call.plan);
    case Kind::kArrival:
      return code_visit(archive, state, own, call.visit);
    case Kind::kCancelled:
      return archive.number(call.cancelled, state.visit);
    case Kind::kState:
      archive.number(call.module, own);
      return archive.list(call.values);
    case Kind::kWorkersLost:
      archive.list(call.workers, [&](WorkerId& worker) { code_worker(archive, state, worker); });
      return code_lost();
    case Kind::kBatchStarted:
    case Kind::kBatchDone:
      return code_batch(archive, state, call, own);
    case Kind::kBatchPreempted:
      code_batch(archive, state, call, own);
      return code_lost();
    case Kind::kTimer:
    case Kind::kCount:
      return;
    default:
      return code_worker(archive, state, call.worker);
  }
}

template <class Way>
void code_call(Way& archive, ReplayCode& state, ReplayCall& call, std::uint64_t& decisions, ModuleId own) {
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
  archive.number(call.now, state.now);
  state.now = call.now;
  code_arguments(archive, state, call, own);
}

/// Codes a decision; `values` are the values of a report.
template <class Way>
void code_decision(Way& archive, ReplayCode& state, Decision& decision, std::vector<double>& values) {
  auto head = static_cast<std::uint8_t>(static_cast<std::uint8_t>(decision.kind) |
                                        static_cast<std::uint8_t>(decision.reason) << kReasonShift);
  archive.byte(head);
  decision.kind = static_cast<Decision::Kind>(head & ((1U << kReasonShift) - 1));
  decision.reason = static_cast<DropReason>(head >> kReasonShift);
  const bool names_visit = decision.kind == Decision::Kind::kDrop || decision.kind == Decision::Kind::kJoin;
  const bool names_worker = decision.kind == Decision::Kind::kJoin ||
                            decision.kind == Decision::Kind::kLaunch ||
                            decision.kind == Decision::Kind::kPreempt;
  if (names_visit) archive.number(decision.visit_or_first, state.visit);
  if (names_worker) code_worker(archive, state, decision.worker_or_count);
  if (decision.kind == Decision::Kind::kWakeAt) archive.number(decision.at_ns, state.now);
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

bool same_call(const ReplayCall& a, const ReplayCall& b) {
  const auto bytes_of = [](ReplayCall call) {
    std::vector<std::byte> bytes;
    WritingArchive archive(bytes);
    ReplayCode state;
    std::uint64_t decisions = 0;
    code_call(archive, state, call, decisions, 0);
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
  code_call(archive, state_, call, count, log_->group);
  std::vector<double> values;
  for (Decision decision : decisions) {
    if (decision.kind == Decision::Kind::kReport) {
      const std::span<const double> reported = out.values(decision);
      values.assign(reported.begin(), reported.end());
    }
    code_decision(archive, state_, decision, values);
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
  code_call(archive, state_, call, count, log_->group);
  damaged_ = call.kind >= Kind::kCount;
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count && !damaged_; ++i) {
    Decision decision;
    code_decision(archive, state_, decision, values);
    damaged_ = archive.failed() || !give(decision, values, out);
  }
  damaged_ = damaged_ || archive.failed() || ++callbacks_ > log_->callbacks;
  at_ += archive.at();
  return !damaged_;
}

}  // namespace harness
