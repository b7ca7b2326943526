#include "systems/infless/infless.h"

#include "harness/serving/common_plans.h"
#include "systems/infless/batch_queue.h"
#include "systems/infless/infless_params.h"
#include "systems/infless/instance_planner.h"

namespace harness {
namespace {

class Infless final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }
  SystemTraits traits() const override { return {.serves_streams = true}; }
  TimeNs replan_period_ns(const ServingContext& context) const override {
    return has_only_batches(context) ? s_to_ns(params_.period_s) : 0;
  }
  /// Returns no planner if a module is a service; the shared planner then plans.
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return has_only_batches(context) ? make_instance_planner(context, params_) : nullptr;
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext&, QueueId, GroupId module) override {
    return std::make_unique<BatchQueue>(module);
  }

 private:
  InflessParams params_;
};

}  // namespace

std::unique_ptr<System> make_infless() { return std::make_unique<Infless>(); }

}  // namespace harness
