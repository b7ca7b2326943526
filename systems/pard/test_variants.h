// The variants of PARD's ablation (section 5.3, Table 1) and a small world in which they decide differently.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/serving/test_params.h"
#include "harness/serving/test_world.h"
#include "systems/pard/pard.h"
#include "systems/pard/pard_state.h"

namespace harness {

struct PardVariant {
  std::string name;
  ParamValues settings;
};

/// Returns the variants that the README lists.
inline const std::vector<PardVariant>& pard_variants() {
  static const std::vector<PardVariant> kVariants = {
      {"back", {{"estimate", "back"}}},
      {"sf", {{"estimate", "sf"}}},
      {"oc", {{"admission", "overload"}, {"estimate", "back"}}},
      {"split", {{"estimate", "split"}}},
      {"wcl", {{"estimate", "wcl"}}},
      {"lower", {{"downstream_wait", "zero"}}},
      {"upper", {{"downstream_wait", "sum_d"}}},
      {"fcfs", {{"order", "fcfs"}}},
      {"hbf", {{"order", "hbf"}}},
      {"lbf", {{"order", "lbf"}}},
      {"instant", {{"order", "instant"}}}};
  return kVariants;
}

/// Sets the parameters of the variant; "default" has no settings. Throws std::out_of_range for unknown names.
inline void apply_variant(System& system, const std::string& name) {
  for (const PardVariant& variant : pard_variants()) {
    if (variant.name == name) return set_params(system, variant.settings);
  }
  if (name != "default") throw std::out_of_range(name);
}

/// A chain of 10, 20 and 40 ms with an SLO of 210 ms, so that the split gives 30, 60 and 120 ms. It has the
/// scheduler and the controller of one module; nothing passes between them unless the test says so.
class PardVariantWorld {
 public:
  PardVariantWorld(const std::string& variant, ModuleId module, int batch, const ParamValues& more = {})
      : world_({steady(10), steady(20), steady(40)}, 210 * kMs, 3), module_(module) {
    apply_variant(*system_, variant);
    set_params(*system_, more);
    plan_ = world_.plan({batch, batch, batch});
    for (std::size_t k = 0; k < 3; ++k) plan_.modules[k].budget_ns = plan_.modules[k].exec_ns * 3;
    scheduler_ = system_->make_scheduler(world_.context, 0, module);
    controller_ = system_->make_controller(world_.context, module);
    scheduler_->on_plan(0, plan_, out_);
    controller_->on_plan(0, plan_);
    scheduler_->on_worker_added(0, 0, out_);
    out_.clear();
  }

  const ServingContext& context() const { return world_.context; }

  /// Has another module publish its state of the period that ended here last. Returns the state that this
  /// module publishes because of it, if any.
  PardState hear(ModuleId module, double queueing_ms, double wait_ms, double worst_ms, double level = 1) {
    PardState state;
    state.queueing_ns = queueing_ms * 1e6;
    state.worst_ns = worst_ms * 1e6;
    state.level = level;
    state.period = periods_;
    state.table.at.fill(static_cast<float>(wait_ms * 1e6));
    std::vector<double> packed;
    state.pack(packed);
    controller_->on_state(0, module, packed, publication_);
    return pass_on();
  }
  /// Has the module's one queue report and a period end; its worker hears of it. Returns the published state.
  PardState period(double arrived, double started = 0, double queueing_ms = 0, double worst_ms = 0) {
    const double values[] = {1, arrived, 0, started, started * queueing_ms * 1e6, worst_ms * 1e6};
    controller_->on_report(0, 0, values, publication_);
    controller_->on_period(0, publication_);
    ++periods_;
    return pass_on();
  }

  std::string arrive(TimeNs now, VisitId id, TimeNs sent, RequestId request = 0) {
    const Visit visit{id, module_, 0, request, sent, sent + world_.context.slo_ns, now};
    scheduler_->on_arrival(now, visit, out_);
    return take();
  }
  /// Starts a batch on the worker, to end after the module's execution time.
  std::string start(TimeNs now) {
    const BatchVisit visits[] = {{999, now, now}};
    const BatchView batch{0, module_, now, now + plan_.modules[module_].exec_ns, visits};
    scheduler_->on_batch_started(now, batch, out_);
    return take();
  }

 private:
  static Profile steady(double latency_ms) { return profile_of_ms(std::vector<double>(4, latency_ms)); }

  PardState pass_on() {
    if (!publication_.due()) return {};
    scheduler_->on_state(0, module_, publication_.state(), out_);
    publication_.clear();
    return PardState::unpack(publication_.state());
  }
  std::string take() {
    std::string text = text_of(out_);
    out_.clear();
    return text;
  }

  TestWorld world_;
  ModuleId module_;
  int periods_ = 0;
  Plan plan_;
  std::unique_ptr<System> system_ = make_pard();
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<Controller> controller_;
  Publication publication_;
  Decisions out_;
};

}  // namespace harness
