#include "systems/loki/load_balancer.h"

#include <algorithm>
#include <utility>

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
    task_index_of_.push_back(tasks - 1);
  }
}

void LoadBalancer::on_plan(const Plan& plan) {
  metadata_ = std::static_pointer_cast<const Metadata>(plan.details);
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

void LoadBalancer::update_queues(ModuleId task, std::span<const QueueView> queues) {
  std::vector<QueueView>& seen = views_[task];
  if (std::equal(seen.begin(), seen.end(), queues.begin(), queues.end(), is_same)) return;
  seen.assign(queues.begin(), queues.end());
  build();
}

std::span<const RoutingEntry> LoadBalancer::table_from(QueueId queue, ModuleId task, std::size_t sub) const {
  const auto found = std::lower_bound(workers_.begin(), workers_.end(), queue,
                                      [](const RoutedWorker& each, QueueId id) { return each.id < id; });
  if (found == workers_.end() || found->id != queue) return table_into(task);
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

}  // namespace harness
