#include "systems/my_system/my_system.h"

#include <vector>

#include "harness/serving/batching_scheduler.h"

namespace harness {
namespace {

struct MySystemParams {
  double margin_ms = 0;

  void list(ParamList& params) {
    params.number("margin_ms", margin_ms, 0, 1e4,
                  "a visit is dropped that would end later than this before its deadline");
  }
};

/// Newest first; a visit whose turn comes too late to end in time is dropped. BatchingScheduler documents
/// when it calls these functions.
class MySystemPolicy {
 public:
  explicit MySystemPolicy(const MySystemParams& params) : margin_ns_(ms_to_ns(params.margin_ms)) {}

  void on_plan(TimeNs, const ModulePlan& plan) { exec_ns_ = plan.exec_ns; }
  void start(TimeNs, Decisions&) {}
  void push(TimeNs, const Visit& visit) { stack_.push_back(visit); }
  bool erase(VisitId id) {
    return std::erase_if(stack_, [id](const Visit& visit) { return visit.id == id; }) > 0;
  }
  bool empty() const { return stack_.empty(); }

  int fill(TimeNs, const BatchSlot& slot, Decisions& out) {
    int joined = 0;
    while (joined < slot.room && !stack_.empty()) {
      const Visit visit = stack_.back();
      stack_.pop_back();
      if (slot.start_ns + exec_ns_ + margin_ns_ > visit.deadline_ns) {
        out.drop(visit.id, DropReason::kEstimatedLate);
      } else {
        out.join(slot.worker, visit.id);
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
  TimeNs margin_ns_;
  TimeNs exec_ns_ = 0;
  std::vector<Visit> stack_;
};

class MySystemServing final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<MySystemPolicy>>(context, module, params_);
  }

 private:
  MySystemParams params_;
};

}  // namespace

std::unique_ptr<System> make_my_system() { return std::make_unique<MySystemServing>(); }

}  // namespace harness
