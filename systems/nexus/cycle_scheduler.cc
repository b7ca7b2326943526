#include "systems/nexus/cycle_scheduler.h"

#include <algorithm>

#include "harness/core/check.h"
#include "harness/core/drop_reason.h"

namespace harness {

void CycleScheduler::on_plan(TimeNs now, const Plan& plan, Decisions&) {
  if (!sessions_.empty()) return;
  const WorkerGroup& group = plan.groups[group_];
  Plan own;  // of the modules, with this node's batches
  own.modules = plan.modules;
  TimeNs offset_ns = 0;
  for (const ModuleId module : group.modules) {
    ModulePlan& session = own.modules[module];
    session.max_batch = plan.max_batch(group_, module);
    session.exec_ns = context_.profiles[module]->latency(session.max_batch);
    sessions_.push_back({module, session.max_batch, offset_ns, NexusPolicy(context_, module, params_)});
    offset_ns += session.exec_ns;
  }
  for (NodeSession& session : sessions_) session.queue.on_plan(now, own);
  cycle_ns_ = std::max(group.cycle_ns, offset_ns);
}

void CycleScheduler::on_worker_added(TimeNs, WorkerId worker, Decisions&) {
  HARNESS_CHECK(worker_ == kNone, "a node of Nexus's packing has one worker");
  worker_ = worker;
}

void CycleScheduler::on_worker_draining(TimeNs, WorkerId, Decisions&) {
  worker_ = kNone;
  free_ = false;
}

void CycleScheduler::on_workers_lost(TimeNs now, std::span<const WorkerId> workers,
                                     std::span<const Visit> visits, Decisions&) {
  if (std::find(workers.begin(), workers.end(), worker_) != workers.end()) {
    worker_ = kNone;
    free_ = false;
  }
  for (auto visit = visits.rbegin(); visit != visits.rend(); ++visit)
    session_of(visit->module).queue.put_back(now, *visit);
}

void CycleScheduler::on_arrival(TimeNs now, const Visit& visit, Decisions& out) {
  NodeSession& session = session_of(visit.module);
  if (params_.admission == NexusAdmission::kPlanned && !admit(now, session)) {
    out.drop(visit.id, DropReason::kOverload);
    return;
  }
  if (free_ && is_idle()) skip_turns_before(now);
  session.queue.push(now, visit);
  take_turns(now, out);
}

void CycleScheduler::on_cancelled(TimeNs, VisitId visit, Decisions&) {
  const bool found = std::any_of(sessions_.begin(), sessions_.end(),
                                 [visit](NodeSession& session) { return session.queue.erase(visit); });
  HARNESS_CHECK(found, "a cancelled visit is not in a queue");
}

void CycleScheduler::on_worker_free(TimeNs now, WorkerId worker, Decisions& out) {
  if (worker != worker_) return;
  free_ = true;
  take_turns(now, out);
}

void CycleScheduler::on_timer(TimeNs now, Decisions& out) { take_turns(now, out); }

CycleScheduler::NodeSession& CycleScheduler::session_of(ModuleId module) {
  return *std::find_if(sessions_.begin(), sessions_.end(),
                       [module](const NodeSession& session) { return session.module == module; });
}

CycleScheduler::NodeSession& CycleScheduler::session_at(std::int64_t turn) {
  return sessions_[static_cast<std::size_t>(turn) % sessions_.size()];
}

bool CycleScheduler::admit(TimeNs now, NodeSession& session) {
  const std::int64_t cycle = now / cycle_ns_;
  if (session.cycle != cycle) {
    session.cycle = cycle;
    session.arrived = 0;
  }
  if (session.arrived == session.max_batch) return false;
  ++session.arrived;
  return true;
}

bool CycleScheduler::is_idle() const {
  return std::all_of(sessions_.begin(), sessions_.end(),
                     [](const NodeSession& session) { return session.queue.empty(); });
}

void CycleScheduler::take_turns(TimeNs now, Decisions& out) {
  if (!free_) return;
  if (params_.turns == NexusTurns::kNext) {
    take_next(now, out);
  } else {
    take_planned(now, out);
  }
}

void CycleScheduler::take_next(TimeNs now, Decisions& out) {
  for (std::size_t passed = 0; passed < sessions_.size(); ++passed) {
    if (run(now, session_at(turn_++), out)) return;
  }
}

void CycleScheduler::take_planned(TimeNs now, Decisions& out) {
  skip_turns_before(now - cycle_ns_);
  while (!is_idle()) {
    if (time_of(turn_) > now) break;
    if (run(now, session_at(turn_++), out)) return;
  }
  if (is_idle()) return;
  std::int64_t next = turn_;
  while (session_at(next).queue.empty()) ++next;
  out.wake_at(time_of(next));
}

bool CycleScheduler::run(TimeNs now, NodeSession& session, Decisions& out) {
  if (session.queue.empty()) return false;
  if (session.queue.fill(now, {worker_, now, 0, session.max_batch}, out) == 0) return false;
  out.launch(worker_);
  free_ = false;
  return true;
}

TimeNs CycleScheduler::time_of(std::int64_t turn) const {
  const auto count = static_cast<std::int64_t>(sessions_.size());
  return turn / count * cycle_ns_ + sessions_[static_cast<std::size_t>(turn % count)].offset_ns;
}

void CycleScheduler::skip_turns_before(TimeNs at) {
  const auto count = static_cast<std::int64_t>(sessions_.size());
  if (at > 0) turn_ = std::max(turn_, at / cycle_ns_ * count);
  while (time_of(turn_) < at) ++turn_;
}

}  // namespace harness
