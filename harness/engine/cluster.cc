#include "harness/engine/cluster.h"

#include <algorithm>
#include <utility>

#include "harness/core/error.h"
#include "harness/engine/prefetch.h"

namespace harness {
namespace {

double offered_rps(const RunSpec& spec) {
  return spec.arrivals->expected_requests() / ns_to_s(spec.arrivals->duration_ns());
}

Plan first_plan(const RunSpec& spec, const ServingContext& context, Planner& planner, double offered_rps) {
  Plan plan = planner.plan(0, {offered_rps, {}}, {});
  spec.system->refine(context, plan);
  return plan;
}

}  // namespace

ServingContext make_context(const RunSpec& spec, const RequestSizes* sizes) {
  ServingContext context;
  context.pipeline = &spec.pipeline;
  for (const Profile& profile : spec.profiles) context.profiles.push_back(&profile);
  context.slo_ns = spec.slo_ns;
  context.workers = spec.workers;
  context.seed = spec.seed;
  context.serving = spec.serving;
  context.sizes = sizes;
  return context;
}

Plan initial_plan(const RunSpec& spec, double offered_rps) {
  const ServingContext context = make_context(spec);
  const auto planner = make_sizing_planner(context, spec.planner, spec.module_overrides);
  return first_plan(spec, context, *planner, offered_rps);
}

Cluster::Cluster(const RunSpec& spec, World& world, RowSink* rows)
    : spec_(spec),
      world_(world),
      sizes_(spec.seed, spec.profiles, spec.trace_tokens),
      context_(make_context(spec, &sizes_)),
      books_(spec.pipeline, spec.arrivals->duration_ns(), spec.slo_ns, rows),
      environment_{&visits_, &workers_, &books_, &world_, this, &decisions_, &sizes_},
      domains_(spec.pipeline.modules.size()),
      flow_(spec.pipeline, spec.slo_ns, spec.seed, visits_, books_, world, domains_),
      planner_(make_sizing_planner(context_, spec.planner, spec.module_overrides)),
      plan_(first_plan(spec, context_, *planner_, offered_rps(spec))),
      planned_arrivals_(spec.pipeline.modules.size(), 0) {
  for (ModuleId module = 0; module < domains_.size(); ++module) {
    domains_[module].router = spec.system->make_router(context_, module);
    domains_[module].counts_outstanding = domains_[module].router->needs_outstanding();
    if (auto controller = spec.system->make_controller(context_, module))
      controllers_.push_back(std::move(controller));
  }
  HARNESS_CHECK(controllers_.empty() || controllers_.size() == domains_.size(),
                "a system has controllers for some modules only");
  if (!controllers_.empty()) books_.name_states(spec.system->state_names(), spec.record_states);
}

Cluster::~Cluster() = default;

void Cluster::start(TimeNs now) {
  for (auto& controller : controllers_) controller->on_plan(now, plan_);
  for (ModuleId module = 0; module < domains_.size(); ++module) {
    for (int i = 0; i < plan_.modules[module].workers; ++i) open_for(now, add_worker(module));
    record_capacity(now, module);
  }
}

void Cluster::on_request(TimeNs now) { flow_.send(now); }

void Cluster::on_delivery(TimeNs now, const Delivery& delivery) {
  const ModuleId module = visits_[delivery.visit].visit.module;
  if (visits_[delivery.visit].cancelled) {
    if (!visits_[delivery.visit].counted) books_.on_arrived(now, module);
    flow_.on_cancelled(now, delivery.visit);
    return;
  }
  if (spec_.planner.autoscale && !is_open(module, delivery.domain)) {
    flow_.reroute(now, module, {&delivery.visit, 1});  // its domain closed while it travelled
    return;
  }
  hosts_[delivery.domain]->arrive(now, delivery.visit);
}

void Cluster::prefetch(std::span<const Delivery> deliveries) const {
  if (deliveries.size() < 2) return;
  for (const Delivery& delivery : deliveries) prefetch_object(hosts_[delivery.domain].get());
  for (const Delivery& delivery : deliveries) {
    if (const QueueDomainHost* host = hosts_[delivery.domain].get()) host->prefetch();
  }
}

void Cluster::prefetch_worker(WorkerId worker) const {
  const WorkerState& state = workers_[worker];
  prefetch_span(state.running.data(), state.running.size());
}

void Cluster::prefetch_batch(WorkerId worker) const {
  const WorkerState& state = workers_[worker];
  for (const BatchVisit& member : state.running) {
    prefetch_object(&visits_[member.id]);
    flow_.prefetch_request(member.id);
  }
  if (state.domain != kNone) prefetch_object(hosts_[state.domain].get());
}

bool Cluster::is_open(ModuleId module, DomainId domain) const {
  const std::vector<DomainView>& views = domains_[module].views;
  return std::any_of(views.begin(), views.end(), [&](const DomainView& view) { return view.id == domain; });
}

void Cluster::on_cancellation(TimeNs now, const Cancellation& cancellation) {
  VisitRecord& record = visits_[cancellation.visit];
  const bool same = record.visit.request == cancellation.request && record.index == cancellation.index;
  if (!same) return;
  if (record.state == VisitState::kTravelling) record.cancelled = true;
  if (record.state != VisitState::kQueued) return;
  hosts_[record.domain]->withdraw(now, cancellation.visit);
  flow_.on_cancelled(now, cancellation.visit);
}

void Cluster::on_batch_done(TimeNs now, WorkerId worker) {
  WorkerState& state = workers_[worker];
  QueueDomainHost& host = *hosts_[state.domain];
  state.totals.busy_ns += now - state.started_ns;
  state.totals.gpu_ns += state.gpu_time_ns(now);
  ++state.totals.batches;
  state.totals.visits += state.running.size();
  host.batch_done(now, worker);
  flow_.on_batch_done(now, worker, state);
  host.start_next(now, worker);
  if (state.life == WorkerState::Life::kDraining && !state.busy) worker_gone(now, worker);
}

void Cluster::on_timer(TimeNs now, DomainId domain) {
  if (hosts_[domain] != nullptr) hosts_[domain]->on_timer(now);
}

void Cluster::publish(TimeNs now, ModuleId module) {
  if (publication_.due()) {
    const std::size_t receivers = domains_[module].views.size() + controllers_.size() - 1;
    books_.on_published(now, module, publication_.state(), receivers);
    world_.publish(module, publication_.state());
  }
  publication_.clear();
}

void Cluster::on_report(TimeNs now, ModuleId module, DomainId domain, std::span<const double> values) {
  controllers_[module]->on_report(now, domain, values, publication_);
  publish(now, module);
}

void Cluster::on_publication(TimeNs now, ModuleId module, std::span<const double> state) {
  for (const DomainView& view : domains_[module].views) hosts_[view.id]->on_state(now, module, state);
  for (ModuleId other = 0; other < controllers_.size(); ++other) {
    if (other == module) continue;
    controllers_[other]->on_state(now, module, state, publication_);
    publish(now, other);
  }
}

void Cluster::on_period(TimeNs now) {
  for (ModuleId module = 0; module < controllers_.size(); ++module) {
    controllers_[module]->on_period(now, publication_);
    publish(now, module);
  }
}

void Cluster::on_acknowledgement(ModuleId module, DomainId domain, int count) {
  for (DomainView& view : domains_[module].views) {
    if (view.id == domain) view.outstanding -= count;
  }
}

void Cluster::on_visit_dropped(TimeNs now, VisitId visit, DropReason reason) {
  flow_.drop(now, visit, reason);
}

std::uint64_t Cluster::progress() const {
  std::uint64_t count = 0;
  for (const ModuleTotals& totals : books_.record().modules) {
    count += totals.batches;
    for (const std::uint64_t dropped : totals.dropped) count += dropped;
  }
  return count;
}

RunRecord Cluster::close(TimeNs end_ns, std::uint64_t events) {
  std::vector<WorkerTotals> totals;
  for (const WorkerState& worker : workers_) totals.push_back(worker.totals);
  return books_.close(end_ns, events, std::move(totals));
}

}  // namespace harness
