#include "systems/reserve/reserve.h"

#include "systems/reserve/admission.h"
#include "systems/reserve/slot_policy.h"

namespace harness {
namespace {

class ReserveRouter final : public Router {
 public:
  ReserveRouter(const ServingContext& context, ModuleId module, std::shared_ptr<Admission> admission)
      : module_(module),
        is_entry_(context.pipeline->modules[module].pres.empty()),
        admission_(std::move(admission)) {}

  void on_plan(const Plan& plan) override {
    if (is_entry_) admission_->on_plan(plan);
  }

  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override {
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const bool enters = !is_entry_ || admission_->admit(now, visits[i].deadline_ns);
      out[i] = enters ? admission_->route(now, module_, queues) : kRefused;
    }
  }

 private:
  ModuleId module_;
  bool is_entry_;
  std::shared_ptr<Admission> admission_;
};

/// Takes the queues' reports to the admission, and tells the queues in which style they form batches.
class ReserveController final : public Controller {
 public:
  ReserveController(const ServingContext& context, ModuleId module, std::shared_ptr<Admission> admission)
      : module_(module),
        is_entry_(context.pipeline->modules[module].pres.empty()),
        admission_(std::move(admission)) {}

  void on_plan(TimeNs, const Plan&) override {}
  void on_report(TimeNs, QueueId queue, std::span<const double> values, Publication&) override {
    admission_->on_report(
        module_, queue,
        {static_cast<TimeNs>(values[0]), static_cast<TimeNs>(values[1]), values[2], values[3]});
  }
  void on_period(TimeNs, Publication& out) override {
    if (is_entry_) admission_->choose_style();
    const double style[] = {static_cast<double>(admission_->style())};
    out.publish(style);
  }
  void on_state(TimeNs, ModuleId, std::span<const double>, Publication&) override {}

 private:
  ModuleId module_;
  bool is_entry_;
  std::shared_ptr<Admission> admission_;
};

class Reserve final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<SlotPolicy>>(context, module, context, module, params_);
  }
  std::unique_ptr<Controller> make_controller(const ServingContext& context, ModuleId module) override {
    return std::make_unique<ReserveController>(context, module, admission(context));
  }
  std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module) override {
    return std::make_unique<ReserveRouter>(context, module, admission(context));
  }

 private:
  /// That of the run: its routers and controllers keep it, so that the next run begins with another.
  std::shared_ptr<Admission> admission(const ServingContext& context) {
    std::shared_ptr<Admission> shared = admission_.lock();
    if (shared == nullptr || shared->context() != &context) {
      shared = std::make_shared<Admission>(context, params_);
      admission_ = shared;
    }
    return shared;
  }

  ReserveParams params_;
  std::weak_ptr<Admission> admission_;
};

}  // namespace

std::unique_ptr<System> make_reserve() { return std::make_unique<Reserve>(); }

}  // namespace harness
