#include "harness/engine/dispatch/dispatcher.h"

#include <algorithm>
#include <utility>

#include "harness/core/check.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/serving/common_plans.h"

namespace harness {

namespace {

double offered_rps(const RunSpec& spec) {
  return spec.arrivals->expected_requests() / ns_to_s(spec.arrivals->duration_ns());
}

}  // namespace

Dispatcher::Dispatcher(const RunSpec& spec, const ServingContext& context, ToQueues& queues,
                       EngineTables& tables, Accounting& accounting)
    : spec_(spec),
      context_(context),
      to_queues_(queues),
      tables_(tables),
      accounting_(accounting),
      queues_(spec.pipeline.modules.size()),
      flow_(spec.pipeline, context.streams, spec.seed, spec.answers, tables.visits, accounting, queues,
            queues_),
      planner_(make_planner(spec, context)),
      period_ns_(spec.system->replan_period_ns(context)),
      plan_(initial_plan(spec, context, *planner_, offered_rps(spec))),
      computed_(plan_),
      load_(spec, period_ns_, flow_, accounting),
      worker_manager_(spec, context, queues, tables, accounting, queues_) {
  if (spec.system->traits().wants_module_statistics)
    meter_.emplace(queues_.size(), tables.workers, accounting);
  for (ModuleId module = 0; module < queues_.size(); ++module) {
    queues_[module].router = spec.system->make_router(context_, module);
    queues_[module].reads_visits = queues_[module].router->reads_visits();
    queues_[module].counts_outstanding = queues_[module].router->needs_outstanding();
    if (auto controller = spec.system->make_controller(context_, module))
      controllers_.push_back(std::move(controller));
  }
  HARNESS_CHECK(controllers_.empty() || controllers_.size() == queues_.size(),
                "a system has controllers for some modules only");
  if (!controllers_.empty()) accounting_.name_states(spec.system->state_names(), spec.record_states);
}

Dispatcher::~Dispatcher() = default;

std::int64_t Dispatcher::rerouted_visits() const {
  std::int64_t sum = -1;
  if (spec_.measured_from_ns > 0) return sum;
  for (const ModuleQueues& module : queues_) {
    const std::int64_t count = module.router->rerouted();
    if (count >= 0) sum = std::max<std::int64_t>(sum, 0) + count;
  }
  return sum;
}

void Dispatcher::start(TimeNs now) {
  announce_plan(now);
  worker_manager_.start(now, plan_);
}

void Dispatcher::apply_plan(TimeNs now, const Plan& plan) {
  plan_ = plan;
  announce_plan(now);
  worker_manager_.follow(now);
}

void Dispatcher::announce_plan(TimeNs now) {
  flow_.set_shares_queues(plan_.shares_workers());
  accounting_.on_plan(plan_);
  for (auto& controller : controllers_) controller->on_plan(now, plan_);
  for (ModuleQueues& module : queues_) module.router->on_plan(plan_);
  to_queues_.set_plan(now, plan_);
}

TimeNs Dispatcher::next_planning_ns(TimeNs at_ns) const {
  if (period_ns_ > 0) {
    const TimeNs next_ns = at_ns + period_ns_;
    if (spec_.system->traits().scales_to_zero)  // what waits for a worker needs a plan
      return at_ns < spec_.arrivals->duration_ns() || flow_.live_requests() > 0 ? next_ns : kNever;
    return next_ns < spec_.arrivals->duration_ns() ? next_ns : kNever;
  }
  return spec_.planner.autoscale ? at_ns + s_to_ns(spec_.planner.period_s) : kNever;
}

Plan Dispatcher::compute_plan(TimeNs now, const LoadStatistics& load) {
  if (!computed_.groups.empty() && period_ns_ == 0) return computed_;
  Plan plan = planner_->plan(now, load, computed_);
  spec_.system->refine(context_, plan);
  for (std::size_t m = 0; m < plan.modules.size(); ++m)
    HARNESS_CHECK_DECISION(plan.modules[m].device == computed_.modules[m].device,
                           "a plan moves a module to other devices");
  HARNESS_CHECK(
      computed_.groups.empty() == plan.groups.empty() && (plan.groups.empty() || follows(computed_, plan)),
      "a planner takes away groups of workers, or changes them");
  computed_ = plan;
  return plan;
}

void Dispatcher::publish(TimeNs now, ModuleId module) {
  if (publication_.due()) {
    const std::size_t receivers = queues_[module].views.size() + controllers_.size() - 1;
    accounting_.on_published(now, module, publication_.state(), receivers);
    to_queues_.publish(module, publication_.state());
  }
  publication_.clear();
}

void Dispatcher::on_report(TimeNs now, ModuleId module, QueueId queue, std::span<const double> values) {
  controllers_[module]->on_report(now, queue, values, publication_);
  publish(now, module);
}

void Dispatcher::on_publication(TimeNs now, ModuleId module, std::span<const double> state) {
  for (ModuleId other = 0; other < controllers_.size(); ++other) {
    if (other == module) continue;
    controllers_[other]->on_state(now, module, state, publication_);
    publish(now, other);
  }
}

void Dispatcher::on_period(TimeNs now) {
  for (ModuleId module = 0; module < controllers_.size(); ++module) {
    controllers_[module]->on_period(now, publication_);
    publish(now, module);
  }
}

void Dispatcher::on_acknowledgement(ModuleId module, QueueId queue, int count) {
  flow_.count_outstanding(spec_.pipeline.task_of(module), queue, -count);
}

}  // namespace harness
