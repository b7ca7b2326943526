#include "harness/engine/dispatch/dispatcher.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/core/error.h"
#include "harness/serving/common_plans.h"

namespace harness {

std::vector<double> peaks_at(const RunSpec& spec, TimeNs period_ns, TimeNs now) {
  const auto period = static_cast<std::size_t>(period_ns > 0 ? now / period_ns : 0);
  return period < spec.peak_rps.size() ? spec.peak_rps[period] : std::vector<double>{};
}

LoadMeter::LoadMeter(const RunSpec& spec, TimeNs period_ns, const RequestFlow& flow,
                     const Accounting& accounting)
    : spec_(spec),
      period_ns_(period_ns),
      flow_(flow),
      accounting_(accounting),
      keeps_sent_(spec.system->wants_sample() && period_ns > 0),
      arrived_(spec.pipeline.modules.size(), 0),
      done_(spec.pipeline.modules.size(), 0),
      caused_(flow.caused()) {}

LoadStatistics LoadMeter::take(TimeNs now, std::span<const std::uint64_t> arrived) {
  LoadStatistics load;
  load.module_rps.resize(arrived_.size());
  const double seconds = ns_to_s(now - at_ns_);
  for (std::size_t m = 0; m < arrived_.size(); ++m) {
    // A variant that has lost its queue to another may have fewer arrivals than before.
    const auto more = static_cast<std::int64_t>(arrived[m] - arrived_[m]);
    load.module_rps[m] = static_cast<double>(more) / seconds;
    arrived_[m] = arrived[m];
  }
  for (ModuleId m = 0; m < arrived_.size(); ++m) {
    if (spec_.pipeline.modules[m].pres.empty()) load.offered_rps += load.module_rps[m];
  }
  load.fan_out = fan_out();
  load.peak_rps = peaks_at(spec_, period_ns_, now);
  load.sent_ns.swap(sent_ns_);
  load.sent_streams.swap(sent_streams_);
  load.in_system = flow_.live_requests();
  at_ns_ = now;
  return load;
}

std::vector<std::vector<double>> LoadMeter::fan_out() {
  const std::vector<std::vector<std::uint64_t>>& caused = flow_.caused();
  std::vector<std::vector<double>> means;
  for (ModuleId m = 0; m < caused.size(); ++m) {
    const std::uint64_t done = accounting_.record().modules[m].done;
    const auto served = static_cast<double>(done - std::exchange(done_[m], done));
    std::vector<double>& of_module = means.emplace_back();
    for (std::size_t s = 0; s < caused[m].size(); ++s) {
      const std::uint64_t before = std::exchange(caused_[m][s], caused[m][s]);
      of_module.push_back(served == 0 ? NAN : static_cast<double>(caused[m][s] - before) / served);
    }
  }
  return means;
}

namespace {

double offered_rps(const RunSpec& spec) {
  return spec.arrivals->expected_requests() / ns_to_s(spec.arrivals->duration_ns());
}

std::unique_ptr<Planner> make_planner(const RunSpec& spec, const ServingContext& context) {
  std::unique_ptr<Planner> own =
      spec.planner.placement.empty() ? spec.system->make_planner(context) : nullptr;
  return own ? std::move(own) : make_sizing_planner(context, spec.planner, spec.module_overrides);
}

Plan first_plan(const RunSpec& spec, const ServingContext& context, Planner& planner, double offered_rps) {
  Plan plan = planner.plan(0, initial_load(spec, context, offered_rps), {});
  spec.system->refine(context, plan);
  return start_of(spec, std::move(plan));
}

}  // namespace

ServingContext make_context(const RunSpec& spec, const RequestSizes* sizes) {
  ServingContext context;
  context.pipeline = &spec.pipeline;
  for (const Profile& profile : spec.profiles) context.profiles.push_back(&profile);
  context.devices = spec.devices;
  context.slo_ns = spec.slo_ns;
  context.streams = spec.streams;
  if (context.streams.empty()) context.streams.push_back({0, spec.slo_ns, 0});
  context.workers = spec.workers;
  context.servers = spec.servers;
  context.seed = spec.seed;
  context.serving = spec.serving;
  for (ModuleId m = 0; m < spec.profiles.size(); ++m)
    context.activation_ns.push_back(ms_to_ns(spec.planner.plan_time_ms) + activation_ns(spec, m));
  context.planning = spec.planning.get();
  context.sizes = sizes;
  return context;
}

LoadStatistics initial_load(const RunSpec& spec, const ServingContext& context, double offered_rps) {
  LoadStatistics load{offered_rps, {}, peaks_at(spec, 0, 0)};
  if (!spec.streams.empty()) load.module_rps = stream_rps(context);
  return load;
}

Plan start_of(const RunSpec& spec, Plan plan) {
  const int most = spec.planner.initial_workers;
  if (most == 0) return plan;
  const auto runs_in_batches = [&](ModuleId m) { return spec.profiles[m].service == Service::kBatch; };
  for (WorkerGroup& group : plan.groups) {
    if (!std::ranges::all_of(group.modules, runs_in_batches)) continue;
    const int fewer = std::max(0, group.workers - most);
    group.workers -= fewer;
    for (const ModuleId module : group.modules) plan.modules[module].workers -= fewer;
  }
  if (!plan.groups.empty()) return plan;
  for (ModuleId m = 0; m < plan.modules.size(); ++m) {
    if (runs_in_batches(m)) plan.modules[m].workers = std::min(plan.modules[m].workers, most);
  }
  return plan;
}

Plan initial_plan(const RunSpec& spec, double offered_rps) {
  const ServingContext context = make_context(spec);
  const std::unique_ptr<Planner> planner = make_planner(spec, context);
  return first_plan(spec, context, *planner, offered_rps);
}

void settle_devices(RunSpec& spec, const Plan& plan) {
  if (spec.devices.size() < 2) return;
  std::vector<int> needed(spec.devices.size(), 0);
  for (std::size_t m = 0; m < plan.modules.size(); ++m) {
    const ModulePlan& module = plan.modules[m];
    HARNESS_CHECK_DECISION(module.device < spec.devices.size() && spec.devices[module.device].profiles[m],
                           "a plan names a kind of device on which the model does not run");
    needed[module.device] += module.workers;
    spec.profiles[m] = *spec.devices[module.device].profiles[m];
  }
  for (std::size_t kind = 0; kind < needed.size(); ++kind) {
    const ClusterDevice& device = spec.devices[kind];
    if (needed[kind] > device.count) {
      throw InputError("the plan needs " + std::to_string(needed[kind]) + " of the devices '" + device.name +
                       "', the cluster has " + std::to_string(device.count));
    }
  }
}

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
      plan_(first_plan(spec, context, *planner_, offered_rps(spec))),
      computed_(plan_),
      load_(spec, period_ns_, flow_, accounting),
      worker_manager_(spec, context, queues, tables, accounting, queues_) {
  if (spec.system->wants_module_statistics()) meter_.emplace(queues_.size(), tables.workers, accounting);
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
    if (spec_.system->scales_to_zero())  // what waits for a worker needs a plan
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
