#include "systems/reserve/reserve.h"

#include <array>

#include "harness/serving/batching_scheduler.h"
#include "systems/reserve/admission.h"
#include "systems/reserve/reserve_params.h"
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
    admission_->on_queues(module_, queues);
    for (std::size_t i = 0; i < visits.size(); ++i) {
      // A visit that was sent before has its places: its queue has closed, and it is routed again.
      const bool enters =
          !is_entry_ || visits[i].sent_ns < now || admission_->admit(now, visits[i].deadline_ns);
      out[i] = enters ? admission_->route(now, module_, queues) : kRefused;
    }
  }

 private:
  ModuleId module_;
  bool is_entry_;
  std::shared_ptr<Admission> admission_;
};

/// Takes the queues' reports to the admission, and tells the queues how to form batches: on every change, and
/// once a state period.
class ReserveController final : public Controller {
 public:
  ReserveController(ModuleId module, std::shared_ptr<Admission> admission)
      : module_(module), admission_(std::move(admission)) {}

  void on_plan(TimeNs, const Plan&) override {}
  void on_report(TimeNs, QueueId queue, std::span<const double> values, Publication& out) override {
    const QueueReport report{static_cast<TimeNs>(values[0]), static_cast<TimeNs>(values[1]), values[2],
                             values[3]};
    admission_->on_report(module_, queue, report);
    tell(out);
  }
  void on_period(TimeNs, Publication& out) override {
    told_ = {};  // queues that have opened since do not know
    tell(out);
  }
  void on_state(TimeNs, ModuleId, std::span<const double>, Publication&) override {}

 private:
  void tell(Publication& out) {
    const BatchShape& shape = admission_->shape(module_);
    const std::array<double, 2> state = {static_cast<double>(shape.size),
                                         static_cast<double>(admission_->after_ns(module_))};
    if (state == told_) return;
    told_ = state;
    out.publish(state);
  }

  ModuleId module_;
  std::shared_ptr<Admission> admission_;
  std::array<double, 2> told_ = {};
};

class Reserve final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<SlotPolicy>>(context, module, context, module, params_);
  }
  std::unique_ptr<Controller> make_controller(const ServingContext& context, ModuleId module) override {
    return std::make_unique<ReserveController>(module, admission(context));
  }
  std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module) override {
    return std::make_unique<ReserveRouter>(context, module, admission(context));
  }

 private:
  /// Returns the run's admission. Its routers and controllers keep it, so that the next run begins with
  /// another.
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
