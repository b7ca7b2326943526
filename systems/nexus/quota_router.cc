#include "systems/nexus/quota_router.h"

#include <algorithm>
#include <cmath>

namespace harness {
namespace {

/// Returns the first visit with which a queue that has had `sent` visits is not ahead of its share.
double turn_after(double sent, double share) {
  double visit = std::floor(sent / share) + 1;
  while (visit > 1 && sent < (visit - 1) * share) --visit;
  while (sent >= visit * share) ++visit;
  return visit;
}

}  // namespace

std::vector<double> planned_rps(const Plan& plan, ModuleId module) {
  std::vector<double> rps;
  for (GroupId group = 0; group < plan.groups.size(); ++group) {
    const bool planned = plan.serves(group, module) && plan.groups[group].cycle_ns > 0;
    const double visits = planned ? plan.workers_of(group) * plan.max_batch(group, module) : 0;
    rps.push_back(planned ? visits / ns_to_s(plan.groups[group].cycle_ns) : 0);
  }
  return rps;
}

void QuotaRouter::on_plan(const Plan& plan) {
  std::vector<double> weights = planned_rps(plan, module_);
  weights.resize(std::max(weights.size(), weights_.size()), 0.0);
  weights_.resize(weights.size(), 0.0);
  if (weights == weights_) return;
  weights_ = std::move(weights);
  quotas_.clear();
}

void QuotaRouter::route(TimeNs, std::span<const Visit> visits, std::span<const QueueView> queues,
                        std::span<std::uint32_t> out) {
  const auto same = [](const Quota& quota, const QueueView& queue) { return quota.queue == queue.id; };
  if (!std::equal(quotas_.begin(), quotas_.end(), queues.begin(), queues.end(), same)) start_anew(queues);
  for (std::size_t i = 0; i < visits.size(); ++i) out[i] = next();
}

void QuotaRouter::start_anew(std::span<const QueueView> queues) {
  quotas_.clear();
  sent_ = 0;
  double total = 0;
  for (const QueueView& queue : queues) {
    quotas_.push_back({queue.id, queue.group < weights_.size() ? weights_[queue.group] : 0, 0});
    total += quotas_.back().share;
  }
  ahead_ = {};
  behind_ = {};
  for (std::uint32_t i = 0; i < quotas_.size(); ++i) {
    double& share = quotas_[i].share;
    share = total > 0 ? share / total : 1 / static_cast<double>(quotas_.size());
    if (share > 0) behind_.emplace(1 / share, i);
  }
}

std::uint32_t QuotaRouter::next() {
  sent_ += 1;
  while (!ahead_.empty() && (ahead_.top().first <= sent_ || behind_.empty())) {
    const std::uint32_t i = ahead_.top().second;
    ahead_.pop();
    behind_.emplace((quotas_[i].sent + 1) / quotas_[i].share, i);
  }
  const std::uint32_t choice = behind_.top().second;
  behind_.pop();
  Quota& quota = quotas_[choice];
  quota.sent += 1;
  ahead_.emplace(turn_after(quota.sent, quota.share), choice);
  return choice;
}

}  // namespace harness
