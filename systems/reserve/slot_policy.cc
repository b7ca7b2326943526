#include "systems/reserve/slot_policy.h"

#include "harness/core/drop_reason.h"
#include "harness/core/pipeline.h"
#include "harness/serving/decision.h"
#include "harness/serving/plan.h"
#include "harness/serving/visit.h"

namespace harness {
void SlotPolicy::on_plan(TimeNs, const Plan& plan) {
  const bool first = plan_.modules.empty();
  plan_ = plan;
  is_last_ = context_.pipeline->modules[module_].subs.empty();
  std::vector<double> least_ns;
  for (ModuleId m = 0; m < plan.modules.size(); ++m) {
    least_ns.push_back(static_cast<double>(harness::batch_ns(context_, plan, m, 1)));
  }
  least_after_ns_ = static_cast<TimeNs>(longest_after(*context_.pipeline, least_ns)[module_]);
  if (!first) {
    set_size(shape_.size);
    return;
  }
  const std::vector<BatchShape> shapes = batch_shapes(context_, plan);
  std::vector<double> reserved_ns;
  for (const BatchShape& shape : shapes) reserved_ns.push_back(static_cast<double>(shape.exec_ns));
  after_ns_ = static_cast<TimeNs>(longest_after(*context_.pipeline, reserved_ns)[module_]);
  set_size(shapes[module_].size);
}

void SlotPolicy::set_size(int size) {
  batch_ns_.assign(1, 0);
  for (int b = 1; b <= size; ++b) {
    batch_ns_.push_back(std::max(batch_ns_.back(), harness::batch_ns(context_, plan_, module_, b)));
  }
  shape_ = {size, batch_ns_.back()};
}

void SlotPolicy::on_state(TimeNs, ModuleId module, std::span<const double> state) {
  if (module != module_) return;
  after_ns_ = static_cast<TimeNs>(state[1]);
  set_size(static_cast<int>(state[0]));
}

bool SlotPolicy::erase(VisitId id) {
  const std::span<const Visit> visits = queue_.visits();
  const auto at =
      std::find_if(visits.begin(), visits.end(), [id](const Visit& visit) { return visit.id == id; });
  if (at == visits.end()) return false;
  queue_.erase(static_cast<std::size_t>(at - visits.begin()), 1);
  return true;
}

TimeNs SlotPolicy::start_at(TimeNs now, int room, Decisions&) {
  if (!has_turn_) {
    has_turn_ = true;
    // Turns that fell behind, because batches took longer, are made up for; by one batch at most.
    turn_ns_ = std::max(
        {queue_.front().arrived_ns, now - shape_.exec_ns, last_turn_ns_ + shape_.spacing_ns(workers_)});
  }
  if (!params_.hold) return std::max(now, turn_ns_);
  const TimeNs end_ns = std::min(turn_ns_ + shape_.exec_ns, queue_.front().deadline_ns - after_ns_);
  return std::max({now, turn_ns_, end_ns - batch_ns(next_size(room))});
}

int SlotPolicy::fill(TimeNs now, const BatchSlot& slot, Decisions& out) {
  Worker& runs = worker(slot.worker);
  runs.deadlines_ns.clear();
  const std::span<const Visit> visits = queue_.visits();
  std::size_t taken = 0;
  int joined = 0;
  for (; joined < slot.room && taken < visits.size(); ++taken) {
    const Visit& visit = visits[taken];
    const int size = std::min(slot.room, joined + static_cast<int>(visits.size() - taken));
    if (slot.start_ns + batch_ns(size) + least_after_ns_ > visit.deadline_ns) {
      out.drop(visit.id, DropReason::kEstimatedLate);
      ++lost_;
    } else {
      out.join(slot.worker, visit.id);
      if (is_last_) runs.deadlines_ns.push_back(visit.deadline_ns);
      ++joined;
    }
  }
  queue_.erase(0, taken);
  if (joined == 0) {
    report(now, 0, out);
    return 0;
  }
  last_turn_ns_ = turn_ns_;
  has_turn_ = false;
  runs.end_ns = slot.start_ns + batch_ns(joined);
  report(now, joined, out);
  return joined;
}

void SlotPolicy::report(TimeNs now, int served, Decisions& out) {
  TimeNs free_ns = now;
  if (static_cast<int>(served_by_.size()) >= workers_) {
    free_ns = kNever;
    for (const Worker& one : served_by_) free_ns = std::min(free_ns, one.end_ns);
  }
  const TimeNs batches_ahead = static_cast<TimeNs>(queue_.size()) / shape_.size;
  const TimeNs start_ns = std::max({now, last_turn_ns_ + shape_.spacing_ns(workers_), free_ns}) +
                          batches_ahead * shape_.spacing_ns(workers_);
  const double values[] = {static_cast<double>(now), static_cast<double>(start_ns),
                           static_cast<double>(lost_), static_cast<double>(served)};
  out.report(values);
  lost_ = 0;
}

SlotPolicy::Worker& SlotPolicy::worker(WorkerId id) {
  for (Worker& one : served_by_) {
    if (one.id == id) return one;
  }
  return served_by_.emplace_back(Worker{id, 0, {}});
}

void SlotPolicy::on_gone(WorkerId id) {
  std::erase_if(served_by_, [id](const Worker& one) { return one.id == id; });
}

void SlotPolicy::on_done(TimeNs, const BatchView& batch) {
  Worker& ran = worker(batch.worker);
  ran.end_ns = batch.ended_ns;
  for (const TimeNs deadline_ns : ran.deadlines_ns) lost_ += batch.ended_ns > deadline_ns ? 1 : 0;
}

}  // namespace harness
