#include "systems/loki/load_balancer.h"

#include <algorithm>
#include <utility>

#include "systems/loki/arrival_order_policy.h"

namespace harness {
namespace {

bool is_same(const QueueView& a, const QueueView& b) {
  return a.id == b.id && a.workers == b.workers && a.group == b.group;
}

}  // namespace

LoadBalancer::LoadBalancer(const ServingContext& context, const RoutingParams& params)
    : context_(context),
      most_accurate_first_(*context.pipeline, params.overflow, params.ties),
      views_(context.pipeline->modules.size()) {
  std::size_t tasks = 0;
  for (ModuleId m = 0; m < views_.size(); ++m) {
    if (context.pipeline->task_of(m) == m) ++tasks;
    node_of_.push_back(tasks - 1);
  }
}

void LoadBalancer::on_plan(const Plan& plan) {
  metadata_ = std::static_pointer_cast<const Metadata>(plan.notes);
  const Plan before = std::exchange(plan_, plan);
  // Batches that still run on workers which the plan takes away were formed, and are judged, by the plan
  // before.
  for (ModuleId m = 0; m < before.modules.size(); ++m) {
    if (plan_.modules[m].workers > 0) continue;
    plan_.modules[m] = before.modules[m];
    plan_.modules[m].workers = 0;
  }
  build();
}

void LoadBalancer::see(ModuleId task, std::span<const QueueView> queues) {
  std::vector<QueueView>& seen = views_[task];
  if (std::equal(seen.begin(), seen.end(), queues.begin(), queues.end(), is_same)) return;
  seen.assign(queues.begin(), queues.end());
  build();
}

std::span<const RoutingEntry> LoadBalancer::from(QueueId queue, ModuleId task, std::size_t sub) const {
  const auto found = std::lower_bound(workers_.begin(), workers_.end(), queue,
                                      [](const RoutedWorker& each, QueueId id) { return each.id < id; });
  if (found == workers_.end() || found->id != queue) return into(task);
  return tables_.from(static_cast<std::size_t>(found - workers_.begin()), sub);
}

void LoadBalancer::build() {
  struct Place {
    RoutedWorker worker;
    std::uint32_t index;
  };
  std::vector<Place> places;
  for (const std::vector<QueueView>& views : views_) {
    for (std::uint32_t i = 0; i < views.size(); ++i) {
      const auto module = static_cast<ModuleId>(views[i].group);
      const ModulePlan& planned = plan_.modules[module];
      const double capacity_rps =
          views[i].workers * worker_rps(*context_.profiles[module], planned.max_batch);
      places.push_back({{views[i].id, module, capacity_rps, planned.exec_ns}, i});
    }
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.worker.id < b.worker.id; });
  workers_.clear();
  index_.clear();
  for (const Place& place : places) {
    workers_.push_back(place.worker);
    index_.push_back(place.index);
  }
  most_accurate_first_.build(workers_, metadata_->fan_out, metadata_->demand_rps, tables_);
}

void ShortestOfSome::clear() {
  index_.clear();
  queues_.clear();
}

void ShortestOfSome::add(std::uint32_t index, const QueueView& queue) {
  index_.push_back(index);
  queues_.push_back(queue);
}

void ShortestOfSome::choose(TimeNs now, std::span<const Visit> visits, std::span<std::uint32_t> out) {
  if (queues_.empty()) {
    std::fill(out.begin(), out.end(), kNone);
    return;
  }
  least_outstanding_->route(now, visits, queues_, out);
  for (std::uint32_t& chosen : out) chosen = index_[chosen];
}

LokiRouter::LokiRouter(const ServingContext& context, ModuleId task, const RoutingParams& params,
                       double budget_factor, double tables_period_s, std::shared_ptr<LoadBalancer> balancer)
    : task_(task),
      takes_shortest_(task == 0 && params.root_routing == RootRouting::kShortest),
      rule_(rule_at_end(params.early_dropping, params.drop_at)),
      reroute_limit_(params.reroute_limit),
      budget_factor_(budget_factor),
      cost_rps_(params.reroutes_use_leftover ? 1 / tables_period_s : 0),
      balancer_(std::move(balancer)),
      draws_(params.draw, context.seed, "loki.route", task) {
  const std::vector<Module>& modules = context.pipeline->modules;
  if (modules[task].pres.empty()) return;
  const std::vector<ModuleId>& subs = modules[modules[task].pres.front()].subs;
  sub_ = static_cast<std::size_t>(std::find(subs.begin(), subs.end(), task) - subs.begin());
}

void LokiRouter::on_plan(const Plan& plan) {
  if (task_ == 0) balancer_->on_plan(plan);  // once for all routers
}

void LokiRouter::route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
                       std::span<std::uint32_t> out) {
  balancer_->see(task_, queues);
  const std::span<const RoutingEntry> table = balancer_->into(task_);
  if (takes_shortest_) {
    shortest_.clear();
    for (const RoutingEntry& entry : table) {
      const std::uint32_t index = balancer_->index_of(entry.worker);
      if (entry.probability > 0) shortest_.add(index, queues[index]);
    }
    return shortest_.choose(now, visits, out);
  }
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const RoutingEntry* drawn = draw(table, draws_.next());
    out[i] = drawn == nullptr ? kNone : balancer_->index_of(drawn->worker);
  }
}

void LokiRouter::route_onward(TimeNs now, const Upstream& from, std::span<const Visit> visits,
                              std::span<const QueueView> queues, std::span<std::uint32_t> out) {
  balancer_->see(task_, queues);
  const std::span<const RoutingEntry> table = balancer_->from(from.queue, task_, sub_);
  const TimeNs budget_ns = balancer_->budget_ns(from.module);
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const TimeNs behind_ns = time_behind(now - from.arrived_ns[i], budget_ns);
    const TimeNs save_ns = time_to_save(behind_ns, reroute_limit_, budget_factor_);
    const NextWorker next = next_worker(rule_, save_ns, table, balancer_->backups(task_), cost_rps_, draws_);
    if (next.worker == kNone) {
      out[i] = next.reason == DropReason::kOverBudget ? kRefused : kNone;
    } else {
      out[i] = balancer_->index_of(next.worker);
      if (next.rerouted) ++rerouted_;
    }
  }
}

ShareOfVariantsRouter::ShareOfVariantsRouter(const ServingContext& context, ModuleId task,
                                             const RoutingParams& params)
    : takes_shortest_(task == 0 && params.root_routing == RootRouting::kShortest),
      draws_(params.draw, context.seed, "proteus.route", task),
      workers_(context.pipeline->modules.size(), 0) {}

void ShareOfVariantsRouter::on_plan(const Plan& plan) {
  metadata_ = std::static_pointer_cast<const Metadata>(plan.notes);
}

void ShareOfVariantsRouter::route(TimeNs now, std::span<const Visit> visits,
                                  std::span<const QueueView> queues, std::span<std::uint32_t> out) {
  std::fill(workers_.begin(), workers_.end(), 0);
  for (const QueueView& queue : queues) workers_[queue.group] += queue.workers;
  up_to_.clear();
  double sum = 0;
  for (const QueueView& queue : queues)
    up_to_.push_back(sum += metadata_->share[queue.group] * queue.workers / workers_[queue.group]);
  if (takes_shortest_) {
    shortest_.clear();
    for (std::uint32_t i = 0; i < queues.size(); ++i) {
      if (sum == 0 || metadata_->share[queues[i].group] > 0) shortest_.add(i, queues[i]);
    }
    return shortest_.choose(now, visits, out);
  }
  for (std::size_t i = 0; i < visits.size(); ++i) {
    // Until other variants have started, the variants that the newest allocation leaves out are all there is.
    const double number = draws_.next();
    const auto place = sum > 0 ? std::upper_bound(up_to_.begin(), up_to_.end(), number * sum) - up_to_.begin()
                               : static_cast<std::ptrdiff_t>(number * static_cast<double>(queues.size()));
    out[i] = static_cast<std::uint32_t>(std::min(place, static_cast<std::ptrdiff_t>(queues.size()) - 1));
  }
}

}  // namespace harness
