#include "systems/nexus/nexus_policy.h"

#include <algorithm>
#include <vector>

#include "harness/core/drop_reason.h"
#include "harness/serving/decision.h"
#include "harness/serving/module_plan.h"
#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {

void NexusPolicy::on_plan(TimeNs, const Plan& plan) {
  std::vector<double> budgets;
  for (const ModulePlan& each : plan.modules) budgets.push_back(static_cast<double>(each.budget_ns));
  const ModulePlan& own = plan.modules[module_];
  split_to_here_ns_ =
      static_cast<TimeNs>(longest_before(*context_.pipeline, budgets)[module_]) + own.budget_ns;
  own_budget_ns_ = own.budget_ns;
  planned_exec_ns_ = own.exec_ns;
  max_batch_ = own.max_batch;
}

NexusPolicy::Waiting NexusPolicy::waiting(const Visit& visit) const {
  switch (params_.budget) {
    case NexusBudget::kSplit:
      return {visit.id, visit.sent_ns + split_to_here_ns_};
    case NexusBudget::kPerModule:
      return {visit.id, visit.arrived_ns + own_budget_ns_};
    case NexusBudget::kEndToEnd:
      break;
  }
  return {visit.id, visit.deadline_ns};
}

void NexusPolicy::push(TimeNs, const Visit& visit) {
  const Waiting entry = waiting(visit);
  std::size_t at = queue_.size();
  if (params_.order == NexusOrder::kDeadline) {
    while (at > 0 && queue_[at - 1].deadline_ns > entry.deadline_ns) --at;
  }
  queue_.insert(at, entry);
}

void NexusPolicy::put_back(TimeNs, const Visit& visit) {
  const Waiting entry = waiting(visit);
  std::size_t at = 0;
  if (params_.order == NexusOrder::kDeadline) {
    while (at < queue_.size() && queue_[at].deadline_ns < entry.deadline_ns) ++at;
  }
  queue_.insert(at, entry);
}

TimeNs NexusPolicy::exec_ns(const BatchSlot& slot, std::size_t more) const {
  if (params_.estimate == NexusEstimate::kPlanned) return planned_exec_ns_;
  return context_.profiles[module_]->latency(std::min(slot.joined + static_cast<int>(more), max_batch_));
}

std::size_t NexusPolicy::first_fitting(const BatchSlot& slot) const {
  const auto room = static_cast<std::size_t>(slot.room);
  const TimeNs end = slot.start_ns + exec_ns(slot, std::min(room, queue_.size()));
  std::size_t run = 0;  // visits in a row, ending at i, that can end in time
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    run = queue_[i].deadline_ns >= end ? run + 1 : 0;
    if (run == room) return i + 1 - room;
  }
  // Past here windows reach the end of the queue and are shorter.
  if (run == queue_.size() || params_.estimate == NexusEstimate::kPlanned) return queue_.size() - run;
  return first_fitting_in_tail(slot);
}

std::size_t NexusPolicy::first_fitting_in_tail(const BatchSlot& slot) const {
  const std::size_t count = queue_.size();
  const auto room = static_cast<std::size_t>(slot.room);
  for (std::size_t first = count > room ? count - room + 1 : 1; first < count; ++first) {
    const TimeNs end = slot.start_ns + exec_ns(slot, count - first);
    bool fits = true;
    for (std::size_t i = first; i < count && fits; ++i) fits = queue_[i].deadline_ns >= end;
    if (fits) return first;
  }
  return count;
}

void NexusPolicy::drop_first(std::size_t count, Decisions& out) {
  for (std::size_t i = 0; i < count; ++i) out.drop(queue_[i].id, DropReason::kEarlyDrop);
  queue_.pop_front(count);
}

int NexusPolicy::fill(TimeNs, const BatchSlot& slot, Decisions& out) {
  std::size_t first = first_fitting(slot);
  if (first == queue_.size()) {
    // No window fits: only visits that cannot end in time alone are dropped; then the last of the rest fits
    // alone.
    const TimeNs end = slot.start_ns + exec_ns(slot, 1);
    queue_.erase_if([&](const Waiting& visit) {
      if (visit.deadline_ns >= end) return false;
      out.drop(visit.id, DropReason::kEarlyDrop);
      return true;
    });
    if (queue_.empty()) return 0;
    first = first_fitting(slot);
  }
  drop_first(first, out);
  const std::size_t joins = std::min(static_cast<std::size_t>(slot.room), queue_.size());
  for (std::size_t i = 0; i < joins; ++i) out.join(slot.worker, queue_[i].id);
  queue_.pop_front(joins);
  return static_cast<int>(joins);
}

}  // namespace harness
