// A system for tests: it serves first in, first out, and drops given requests at given modules.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>

#include "harness/serving/batch_slot.h"
#include "harness/serving/batching_scheduler.h"
#include "harness/serving/system.h"

namespace harness::testing {

/// The requests to drop when they would join a batch, by module.
using DropList = std::map<ModuleId, std::set<RequestId>>;

class ScriptedPolicy {
 public:
  explicit ScriptedPolicy(std::set<RequestId> drops) : drops_(std::move(drops)) {}
  void on_plan(TimeNs, const ModulePlan&) {}
  void start(TimeNs, Decisions&) {}
  void push(TimeNs, const Visit& visit) { queue_.push_back(visit); }
  bool erase(VisitId id) {
    return std::erase_if(queue_, [id](const Visit& visit) { return visit.id == id; }) == 1;
  }
  bool empty() const { return queue_.empty(); }
  int fill(TimeNs, const BatchSlot& slot, Decisions& out) {
    int joined = 0;
    for (; joined < slot.room && !queue_.empty(); queue_.pop_front()) {
      if (drops_.contains(queue_.front().request)) {
        out.drop(queue_.front().id, DropReason::kExpired);
      } else {
        out.join(slot.worker, queue_.front().id);
        ++joined;
      }
    }
    return joined;
  }
  void on_started(TimeNs, const BatchView&) {}
  void on_done(TimeNs, const BatchView&) {}
  void on_state(TimeNs, ModuleId, std::span<const double>) {}
  void on_timer(TimeNs, Decisions&) {}

 private:
  std::set<RequestId> drops_;
  std::deque<Visit> queue_;
};

class ScriptedSystem final : public System {
 public:
  explicit ScriptedSystem(DropList drops) : drops_(std::move(drops)) {}
  void list(ParamList&) override {}
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<ScriptedPolicy>>(context, module, drops_[module]);
  }

 private:
  DropList drops_;
};

}  // namespace harness::testing
