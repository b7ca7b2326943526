#include "harness/engine/replay_code.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "harness/core/error.h"

namespace harness {
namespace {

using Kind = ReplayCall::Kind;

constexpr std::byte kVersion{4};
constexpr int kBitsPerByte = 7;  // of a number; the eighth says that more follow
constexpr std::uint64_t kLowBits = 0x7f;
constexpr int kWordBits = 64;
constexpr std::uint8_t kKindBits = 4;
constexpr std::uint8_t kManyDecisions = 15;  // so many or more: their number follows
constexpr std::uint8_t kReasonShift = 3;

/// Doubles of few digits have zeros at the end, where a number's first byte is.
std::uint64_t swapped(std::uint64_t word) {
  std::uint64_t result = 0;
  for (int shift = 0; shift < kWordBits; shift += 8) result = (result << 8) | ((word >> shift) & 0xff);
  return result;
}

/// Writes; its fields stay as they are.
class OutPort {
 public:
  explicit OutPort(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  void byte(std::uint8_t& value) { bytes_.push_back(std::byte{value}); }
  void word(std::uint64_t& value) {
    std::uint64_t rest = value;
    for (; rest > kLowBits; rest >>= kBitsPerByte)
      bytes_.push_back(static_cast<std::byte>((rest & kLowBits) | (kLowBits + 1)));
    bytes_.push_back(static_cast<std::byte>(rest));
  }
  template <class List>
  void size(List& list) {
    std::uint64_t count = list.size();
    word(count);
  }

 private:
  std::vector<std::byte>& bytes_;
};

/// Reads into its fields; zeros once the bytes are used up.
class InPort {
 public:
  explicit InPort(std::span<const std::byte> bytes) : bytes_(bytes) {}

  void byte(std::uint8_t& value) {
    if (at_ == bytes_.size()) failed_ = true;
    value = failed_ ? std::uint8_t{0} : static_cast<std::uint8_t>(bytes_[at_++]);
  }
  void word(std::uint64_t& value) {
    value = 0;
    std::uint8_t part = 0;
    int shift = 0;
    do {
      byte(part);
      if (shift >= kWordBits) failed_ = true;
      if (!failed_) value |= (part & kLowBits) << shift;
      shift += kBitsPerByte;
    } while (part > kLowBits && !failed_);
  }
  /// No entry takes less than a byte.
  template <class List>
  void size(List& list) {
    std::uint64_t count = 0;
    word(count);
    if (count > bytes_.size() - at_) failed_ = true;
    list.resize(failed_ ? 0 : static_cast<std::size_t>(count));
  }
  bool failed() const { return failed_; }
  std::size_t at() const { return at_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// A number by its difference to `usual`, small ones of either sign in one byte.
template <class Port, class Number, class Usual>
void number(Port& port, Number& value, Usual usual) {
  const auto base = static_cast<std::uint64_t>(usual);
  const std::uint64_t ahead = static_cast<std::uint64_t>(value) - base;
  std::uint64_t word = (ahead << 1) ^ (0 - (ahead >> (kWordBits - 1)));
  port.word(word);
  value = static_cast<Number>(((word >> 1) ^ (0 - (word & 1))) + base);
}

template <class Port>
void real(Port& port, double& value) {
  std::uint64_t word = swapped(std::bit_cast<std::uint64_t>(value));
  port.word(word);
  value = std::bit_cast<double>(swapped(word));
}

template <class Port>
void reals(Port& port, std::vector<double>& values) {
  port.size(values);
  for (double& value : values) real(port, value);
}

/// Times from a damaged log may be anything.
TimeNs sum(TimeNs a, TimeNs b) {
  return static_cast<TimeNs>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

TimeNs difference(TimeNs a, TimeNs b) {
  return static_cast<TimeNs>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

template <class Port>
void code_plan(Port& port, Plan& plan) {
  port.size(plan.modules);
  for (ModulePlan& module : plan.modules) {
    number(port, module.workers, 0);
    number(port, module.batch_cap, 0);
    number(port, module.exec_ns, 0);
    number(port, module.budget_ns, 0);
  }
  port.size(plan.groups);
  for (WorkerGroup& group : plan.groups) {
    number(port, group.workers, 0);
    port.size(group.modules);
    for (ModuleId& module : group.modules) number(port, module, 0);
    port.size(group.batch_caps);
    for (int& cap : group.batch_caps) number(port, cap, 0);
    number(port, group.cycle_ns, 0);
  }
}

template <class Port>
void code_arrival(Port& port, ReplayContext& context, ModuleId own, Visit& visit) {
  number(port, visit.id, context.visit);
  number(port, visit.module, own);
  number(port, visit.stream, 0);
  number(port, visit.request, context.request);
  number(port, visit.sent_ns, context.now);
  number(port, visit.due_ns, sum(visit.sent_ns, context.slo_ns));
  number(port, visit.arrived_ns, context.now);
  context.visit = visit.id;
  context.request = visit.request;
  context.slo_ns = difference(visit.due_ns, visit.sent_ns);
  context.queued[visit.id] = visit.arrived_ns;
}

/// The visits stand in the queue again.
template <class Port>
void code_loss(Port& port, ReplayContext& context, ReplayCall& call, ModuleId own) {
  port.size(call.workers);
  for (WorkerId& worker : call.workers) {
    number(port, worker, context.worker);
    context.worker = worker;
    context.workers.erase(worker);
  }
  port.size(call.lost);
  for (Visit& visit : call.lost) code_arrival(port, context, own, visit);
}

/// `usual`: the batch that is expected.
template <class Port>
void code_batch(Port& port, ReplayCall& call, ModuleId own, const ReplayContext::Batch& usual) {
  number(port, call.module, own);
  number(port, call.started_ns, usual.started_ns);
  number(port, call.expected_end_ns, usual.expected_end_ns);
  number(port, call.ended_ns, call.kind == Kind::kBatchStarted ? kNever : call.now);
  std::uint8_t as_usual = call.visits == usual.visits ? 1 : 0;
  port.byte(as_usual);
  if (as_usual != 0) {
    call.visits = usual.visits;
    return;
  }
  port.size(call.visits);
  for (BatchVisit& visit : call.visits) {
    number(port, visit.id, 0);
    number(port, visit.arrived_ns, call.now);
    number(port, visit.joined_ns, call.now);
  }
}

template <class Port>
void code_preemption(Port& port, ReplayContext& context, ReplayCall& call, ModuleId own) {
  code_batch(port, call, own, context.workers[call.worker].running);
  port.size(call.lost);
  for (Visit& visit : call.lost) code_arrival(port, context, own, visit);
}

template <class Port>
void code_start(Port& port, ReplayContext& context, ReplayCall& call, ModuleId own) {
  ReplayContext::Worker& worker = context.workers[call.worker];
  ReplayContext::Batch& running = worker.running;
  running = {call.now, sum(call.now, context.latency_ns), std::move(worker.forming)};
  worker.forming.clear();
  code_batch(port, call, own, running);
  running = {call.started_ns, call.expected_end_ns, call.visits};
  context.latency_ns = difference(running.expected_end_ns, running.started_ns);
}

template <class Port>
void code_arguments(Port& port, ReplayContext& context, ReplayCall& call, ModuleId own) {
  switch (call.kind) {
    case Kind::kPlan:
      return code_plan(port, call.plan);
    case Kind::kArrival:
      return code_arrival(port, context, own, call.visit);
    case Kind::kCancelled:
      number(port, call.cancelled, context.visit);
      context.queued.erase(call.cancelled);
      return;
    case Kind::kState:
      number(port, call.module, own);
      return reals(port, call.values);
    case Kind::kWorkersLost:
      return code_loss(port, context, call, own);
    case Kind::kTimer:
    case Kind::kCount:
      return;
    default:
      number(port, call.worker, context.worker);
      context.worker = call.worker;
  }
  if (call.kind == Kind::kBatchStarted) code_start(port, context, call, own);
  if (call.kind == Kind::kBatchDone) code_batch(port, call, own, context.workers[call.worker].running);
  if (call.kind == Kind::kBatchPreempted) code_preemption(port, context, call, own);
}

template <class Port>
void code_call(Port& port, ReplayContext& context, ReplayCall& call, std::uint64_t& decisions, ModuleId own) {
  const auto few = static_cast<std::uint8_t>(std::min<std::uint64_t>(decisions, kManyDecisions));
  auto head = static_cast<std::uint8_t>(static_cast<std::uint8_t>(call.kind) | few << kKindBits);
  port.byte(head);
  call.kind = static_cast<Kind>(head & ((1U << kKindBits) - 1));
  const std::uint64_t said = head >> kKindBits;
  if (said == kManyDecisions) {
    port.word(decisions);
  } else {
    decisions = said;
  }
  number(port, call.now, context.now);
  context.now = call.now;
  code_arguments(port, context, call, own);
}

/// A report's values are `values`.
template <class Port>
void code_decision(Port& port, ReplayContext& context, Decision& decision, std::vector<double>& values) {
  auto head = static_cast<std::uint8_t>(static_cast<std::uint8_t>(decision.kind) |
                                        static_cast<std::uint8_t>(decision.reason) << kReasonShift);
  port.byte(head);
  decision.kind = static_cast<Decision::Kind>(head & ((1U << kReasonShift) - 1));
  decision.reason = static_cast<DropReason>(head >> kReasonShift);
  const bool names_visit = decision.kind == Decision::Kind::kDrop || decision.kind == Decision::Kind::kJoin;
  const bool names_worker = decision.kind == Decision::Kind::kJoin ||
                            decision.kind == Decision::Kind::kLaunch ||
                            decision.kind == Decision::Kind::kPreempt;
  if (names_visit) number(port, decision.visit_or_first, context.visit);
  if (names_worker) {
    number(port, decision.worker_or_count, context.worker);
    context.worker = decision.worker_or_count;
  }
  if (decision.kind == Decision::Kind::kWakeAt) number(port, decision.at_ns, context.now);
  if (decision.kind == Decision::Kind::kReport) reals(port, values);
  context.follow(decision);
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

void ReplayContext::follow(const Decision& decision) {
  if (decision.kind != Decision::Kind::kDrop && decision.kind != Decision::Kind::kJoin) return;
  const auto arrived = queued.find(decision.visit_or_first);
  if (arrived == queued.end()) return;
  if (decision.kind == Decision::Kind::kJoin)
    workers[decision.worker_or_count].forming.push_back({decision.visit_or_first, arrived->second, now});
  queued.erase(arrived);
}

ReplayWriter::ReplayWriter(ReplayLog& log) : log_(&log) {
  HARNESS_CHECK(log.bytes.empty(), "a replay log is written twice");
  log.bytes.push_back(kVersion);
}

void ReplayWriter::write(ReplayCall& call, const Decisions& out, std::size_t first) {
  OutPort port(log_->bytes);
  const std::span<const Decision> decisions = out.list().subspan(first);
  std::uint64_t count = decisions.size();
  code_call(port, context_, call, count, log_->group);
  std::vector<double> values;
  for (Decision decision : decisions) {
    if (decision.kind == Decision::Kind::kReport) {
      const std::span<const double> reported = out.values(decision);
      values.assign(reported.begin(), reported.end());
    }
    code_decision(port, context_, decision, values);
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
  InPort port(std::span(log_->bytes).subspan(at_));
  std::uint64_t count = 0;
  code_call(port, context_, call, count, log_->group);
  damaged_ = call.kind >= Kind::kCount;
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count && !damaged_; ++i) {
    Decision decision;
    code_decision(port, context_, decision, values);
    damaged_ = port.failed() || !give(decision, values, out);
  }
  damaged_ = damaged_ || port.failed() || ++callbacks_ > log_->callbacks;
  at_ += port.at();
  return !damaged_;
}

}  // namespace harness
