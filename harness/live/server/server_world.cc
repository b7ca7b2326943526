#include "harness/live/server/server_world.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/core/check.h"
#include "harness/core/drop_reason.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/machine/host_name.h"
#include "harness/machine/pinned_thread.h"
#include "harness/machine/precise_wait.h"
#include "harness/machine/steady_clock.h"
#include "harness/machine/timer_slack.h"

namespace harness {
namespace {

constexpr TimeNs kStartLead = 100 * kNsPerMs;    ///< time from here to the start of the load
constexpr TimeNs kReportNs = 200 * kNsPerMs;     ///< time between reports of the progress
constexpr TimeNs kLongestSleep = 50 * kNsPerMs;  ///< time after which signals are looked at again
constexpr std::size_t kMaxNotes = 8;
constexpr int kTooManyRequests = 429;
constexpr int kUnavailable = 503;

/// Returns the reason for which the request of a call without a good answer ends.
DropReason reason_of_end(const HttpEnd& end) {
  switch (end.error) {
    case HttpError::kTimedOut:
      return DropReason::kServerTimeout;
    case HttpError::kUnreachable:
    case HttpError::kClosed:
      return DropReason::kServerGone;
    case HttpError::kHttpStatus:
      if (end.status == kTooManyRequests || end.status == kUnavailable) return DropReason::kServerRefused;
      return DropReason::kServerError;
    default:  // also an answer of status 2xx in which something is wrong
      return DropReason::kBadAnswer;
  }
}

}  // namespace

ServerWorld::ServerWorld(const RunSpec& spec, const ServerRun& run, RowSink* rows)
    : spec_(spec),
      run_(run),
      sizes_(spec.seed, spec.profiles, spec.trace_tokens),
      context_(make_context(spec, &sizes_)),
      accounting_(spec, tables_.visits, rows),
      dispatcher_(spec, context_, *this, tables_, accounting_),
      generator_(spec.arrivals->restarted()),
      client_({.connections = run.connections}) {
  HARNESS_CHECK(run.modules.size() == spec.pipeline.modules.size(), "a module without a place on the server");
}

TimeNs ServerWorld::now() const { return steady_ns() - start_ns_; }

RunRecord ServerWorld::run() {
  set_timer_slack();
  std::optional<PinnedThread> pinned;
  if (run_.spin && run_.spin_core >= 0) pinned.emplace(run_.spin_core);
  const TimeNs began_ns = steady_ns();
  start_ns_ = began_ns + kStartLead;
  dispatcher_.start(0);
  while (!is_over() && why_invalid_.empty()) {
    ++turns_;
    if (run_.check_signal) run_.check_signal();
    send_due();
    take_answers();
    report_progress();
    if (run_.limit_s > 0 && ns_to_s(steady_ns() - began_ns) > run_.limit_s)
      why_invalid_ = "took longer than cell_limit_s = " + text_of(ParamValue(run_.limit_s));
    const TimeNs due_ns = generator_.next_send_ns();
    const TimeNs wake_ns =
        std::min(due_ns == kNever ? kNever : due_ns + start_ns_, steady_ns() + kLongestSleep);
    if (!is_over()) client_.wait(sleep_deadline_ns(wake_ns, WaitParams{run_.spin}));
    latest_ns_ = std::max(latest_ns_, steady_ns() - wake_ns);
  }
  if (!why_invalid_.empty()) dispatcher_.give_up(now());
  std::vector<WorkerTotals> totals;
  for (const WorkerState& worker : tables_.workers) totals.push_back(worker.totals);
  RunRecord record = accounting_.close(std::max(last_end_ns_, now_), handled_, std::move(totals));
  record.schedule_lag = generator_.schedule_lag();
  RankTotals& own = record.ranks.emplace_back();
  own.host = host_name();
  own.loop_turns = turns_;
  own.due_late_max_ns = latest_ns_;
  record.notes = std::move(notes_);
  record.why_invalid = std::move(why_invalid_);
  record.wall_s = ns_to_s(steady_ns() - began_ns);
  return record;
}

void ServerWorld::send_due() {
  constexpr int kMaxAtOnce = 8;  // then answers are taken, which frees connections
  LoadGenerator::DueRequest due;
  for (int sent = 0; sent < kMaxAtOnce && generator_.take(now(), due); ++sent) {
    ++handled_;
    now_ = due.scheduled_ns + due.schedule_lag_ns;
    dispatcher_.on_request(due.scheduled_ns, due.stream, due.schedule_lag_ns);
  }
}

void ServerWorld::take_answers() {
  ends_.clear();
  client_.take(ends_);
  for (const HttpEnd& end : ends_) take(end);
}

void ServerWorld::take(const HttpEnd& end) {
  ++handled_;
  const auto visit = static_cast<VisitId>(end.tag);
  const ModuleId module = tables_.visits[visit].visit.module;
  const ServerRun::Module& remote = run_.modules[module];
  now_ = std::max<TimeNs>(end.ended_ns - start_ns_, 0);
  last_end_ns_ = std::max(last_end_ns_, now_);
  const std::string fault = remote.fault(end);
  if (fault.empty()) return finish(visit, end);
  note_fault(module, end, fault);
  dispatcher_.on_visit_dropped(now_, visit, reason_of_end(end));
}

/// Ends the visit of a call with a good answer as a batch of its own, on the worker that stands for the
/// server.
void ServerWorld::finish(VisitId visit, const HttpEnd& end) {
  const VisitRecord& record = tables_.visits[visit];
  const WorkerId worker = first_worker_[record.queue];
  WorkerState& state = tables_.workers[worker];
  state.module = record.visit.module;
  state.started_ns = std::max(end.started_ns - start_ns_, record.visit.arrived_ns);
  state.service_gpu_ns = 0;
  state.running = {{visit, record.visit.arrived_ns, state.started_ns}};
  accounting_.on_batch_started(state.started_ns, worker, state.module, state.running);
  dispatcher_.on_batch_done(now_, worker, state);
  tables_.workers[worker].running.clear();
}

/// Keeps a note of the first fault of each kind at each module, and not of too many.
void ServerWorld::note_fault(ModuleId module, const HttpEnd& end, const std::string& fault) {
  if (notes_.size() >= kMaxNotes || !noted_.emplace(module, end.error, end.status).second) return;
  notes_.push_back(spec_.pipeline.modules[module].name + ": " + fault);
}

void ServerWorld::deliver(std::span<const Delivery> deliveries) {
  for (const Delivery& delivery : deliveries) {
    VisitRecord& record = tables_.visits[delivery.visit];
    record.queue = delivery.queue;
    record.state = VisitState::kQueued;
    accounting_.on_reached(now_, record);
    client_.start(run_.modules[record.visit.module].request, delivery.visit);
  }
}

void ServerWorld::acknowledge(ModuleId module, QueueId queue, int count) {
  dispatcher_.on_acknowledgement(module, queue, count);
}

void ServerWorld::open_queue(TimeNs, QueueId queue, GroupId, std::uint32_t) {
  if (first_worker_.size() <= queue) first_worker_.resize(queue + 1, kNone);
}

void ServerWorld::add_worker(TimeNs, QueueId queue, WorkerId worker) {
  if (first_worker_[queue] == kNone) first_worker_[queue] = worker;
}

void ServerWorld::drain_worker(TimeNs, WorkerId, bool) { HARNESS_CHECK(false, "a server's workers stay"); }

void ServerWorld::lose_workers(TimeNs, QueueId, std::span<const WorkerId>, bool) {
  HARNESS_CHECK(false, "a server's workers stay");
}

void ServerWorld::start_worker(WorkerId, TimeNs) { HARNESS_CHECK(false, "a server's workers stay"); }

void ServerWorld::report_progress() {
  if (!spec_.progress || now() < next_report_ns_) return;
  next_report_ns_ = now() + kReportNs;
  spec_.progress(std::max<TimeNs>(now(), 0), generator_.sent());
}

}  // namespace harness
