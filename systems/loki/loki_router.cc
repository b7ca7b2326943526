#include "systems/loki/loki_router.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/core/drop_reason.h"
#include "systems/loki/next_worker.h"
#include "systems/loki/task_budgets.h"

namespace harness {

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
  balancer_->update_queues(task_, queues);
  const std::span<const RoutingEntry> table = balancer_->table_into(task_);
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
  balancer_->update_queues(task_, queues);
  const std::span<const RoutingEntry> table = balancer_->table_from(from.queue, task_, sub_);
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

}  // namespace harness
