#include "systems/loki/loki_routers.h"

#include <algorithm>
#include <utility>

#include "systems/loki/early_dropping.h"

namespace harness {

LokiRouter::LokiRouter(const ServingContext& context, ModuleId task, const RoutingParams& params,
                       double budget_factor, double tables_period_s, std::shared_ptr<LoadBalancer> balancer)
    : task_(task),
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
  if (task_ == 0) balancer_->on_plan(plan);  // once for all
}

void LokiRouter::route(TimeNs, std::span<const Visit> visits, std::span<const QueueView> queues,
                       std::span<std::uint32_t> out) {
  balancer_->see(task_, queues);
  const std::span<const RoutingEntry> table = balancer_->into(task_);
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
    }
  }
}

ShareOfVariantsRouter::ShareOfVariantsRouter(const ServingContext& context, ModuleId task, Draw draw)
    : draws_(draw, context.seed, "proteus.route", task), workers_(context.pipeline->modules.size(), 0) {}

void ShareOfVariantsRouter::on_plan(const Plan& plan) {
  metadata_ = std::static_pointer_cast<const Metadata>(plan.notes);
}

void ShareOfVariantsRouter::route(TimeNs, std::span<const Visit> visits, std::span<const QueueView> queues,
                                  std::span<std::uint32_t> out) {
  std::fill(workers_.begin(), workers_.end(), 0);
  for (const QueueView& queue : queues) workers_[queue.group] += queue.workers;
  up_to_.clear();
  double sum = 0;
  for (const QueueView& queue : queues)
    up_to_.push_back(sum += metadata_->share[queue.group] * queue.workers / workers_[queue.group]);
  for (std::size_t i = 0; i < visits.size(); ++i) {
    // Variants that the newest allocation leaves out are all there is until the others have started.
    const double number = draws_.next();
    const auto place = sum > 0 ? std::upper_bound(up_to_.begin(), up_to_.end(), number * sum) - up_to_.begin()
                               : static_cast<std::ptrdiff_t>(number * static_cast<double>(queues.size()));
    out[i] = static_cast<std::uint32_t>(std::min(place, static_cast<std::ptrdiff_t>(queues.size()) - 1));
  }
}

}  // namespace harness
