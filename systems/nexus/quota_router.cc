#include "systems/nexus/quota_router.h"

#include <algorithm>

namespace harness {

std::vector<double> planned_rps(const Plan& plan, ModuleId module) {
  std::vector<double> rps;
  for (GroupId group = 0; group < plan.groups.size(); ++group) {
    const bool planned = plan.serves(group, module) && plan.groups[group].cycle_ns > 0;
    const double visits = planned ? plan.workers_of(group) * plan.batch_cap(group, module) : 0;
    rps.push_back(planned ? visits / ns_to_s(plan.groups[group].cycle_ns) : 0);
  }
  return rps;
}

void QuotaRouter::route(TimeNs, std::span<const Visit> visits, std::span<const DomainView> domains,
                        std::span<std::uint32_t> out) {
  const auto same = [](const Quota& quota, const DomainView& domain) { return quota.domain == domain.id; };
  if (!std::equal(quotas_.begin(), quotas_.end(), domains.begin(), domains.end(), same)) start_anew(domains);
  for (std::size_t i = 0; i < visits.size(); ++i) {
    out[i] = next();
    quotas_[out[i]].sent += 1;
    sent_ += 1;
  }
}

void QuotaRouter::start_anew(std::span<const DomainView> domains) {
  quotas_.clear();
  sent_ = 0;
  double total = 0;
  for (const DomainView& domain : domains) {
    quotas_.push_back({domain.id, domain.group < weights_.size() ? weights_[domain.group] : 0, 0});
    total += quotas_.back().share;
  }
  for (Quota& quota : quotas_)
    quota.share = total > 0 ? quota.share / total : 1 / static_cast<double>(quotas_.size());
}

std::uint32_t QuotaRouter::next() const {
  std::uint32_t best = kNone;
  double best_end = 0;
  for (std::uint32_t i = 0; i < quotas_.size(); ++i) {
    const Quota& quota = quotas_[i];
    if (quota.sent >= (sent_ + 1) * quota.share) continue;
    const double end = (quota.sent + 1) / quota.share;
    if (best != kNone && end >= best_end) continue;
    best = i;
    best_end = end;
  }
  return best;
}

}  // namespace harness
