#include "systems/nexus/packing_planner.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/serving/common_plans.h"

namespace harness {
namespace {

/// Returns the visits/s of each module to provision for.
std::vector<double> rates_of(const ServingContext& context, const LoadStatistics& load) {
  const auto known = [](const std::vector<double>& rps) {
    return std::any_of(rps.begin(), rps.end(), [](double rate) { return rate > 0; });
  };
  if (known(load.peak_rps)) return load.peak_rps;
  if (known(load.module_rps)) return load.module_rps;
  std::vector<double> rps(context.profiles.size(), 0.0);
  for (const Stream& stream : context.streams)
    rps[stream.entry] += load.offered_rps / static_cast<double>(context.streams.size());
  return rps;
}

/// Returns the profile as the planner sees it: with the margin on all latencies, and no batch beyond the cap.
Profile with_margin(const Profile& profile, const NexusParams& params) {
  Profile result = scaled(profile, params.profile_margin);
  result.latency_ns.resize(static_cast<std::size_t>(std::min(profile.max_batch(), params.max_batch)));
  return result;
}

class PackingPlanner final : public Planner {
 public:
  PackingPlanner(const ServingContext& context, const NexusParams& params)
      : context_(context), params_(params) {
    for (const Profile* profile : context.profiles) profiles_.push_back(with_margin(*profile, params));
  }

  Plan plan(TimeNs, const LoadStatistics& load, const Plan& current) override {
    const std::vector<Session> sessions = sessions_of(context_, load, profiles_, params_);
    const SizedPacking sized = pack_onto(sessions, context_.workers, params_.spare);
    Plan plan;
    for (const Session& session : sessions) plan.modules.push_back({0, 1, 0, session.slo_ns});
    for (const PackedNode& node : sized.packing.nodes) add_node(node, plan);
    for (ModuleId m = 0; m < plan.modules.size(); ++m)
      plan.modules[m].exec_ns = context_.profiles[m]->latency(plan.modules[m].max_batch);
    return current.modules.empty() ? plan : continued_plan(current, plan);
  }

 private:
  static void add_node(const PackedNode& node, Plan& plan) {
    std::vector<NodeShare> shares = node.shares;
    std::sort(shares.begin(), shares.end(),
              [](const NodeShare& one, const NodeShare& other) { return one.session < other.session; });
    WorkerGroup group;
    group.cycle_ns = node.duty_ns;
    for (const NodeShare& share : shares) {
      group.modules.push_back(static_cast<ModuleId>(share.session));
      group.max_batches.push_back(share.batch);
      ModulePlan& module = plan.modules[share.session];
      ++module.workers;
      module.max_batch = std::max(module.max_batch, share.batch);
    }
    plan.groups.push_back(std::move(group));
  }

  const ServingContext& context_;
  NexusParams params_;
  std::vector<Profile> profiles_;
};

constexpr double kMinFactor = 1e-6;
constexpr double kMaxFactor = 1e6;
/// Least rate for which times in nanoseconds between requests still fit into 64 bits.
constexpr double kMinRps = 1e-6;

/// Packs the sessions that are served, at a multiple of their rates.
class ScaledPacker {
 public:
  ScaledPacker(const std::vector<Session>& sessions, int gpus) : sessions_(sessions), gpus_(gpus) {
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      if (sessions[i].rate_rps > 0) served_.push_back(i);
    }
  }

  bool has_sessions() const { return !served_.empty(); }

  /// Returns the packing, or nothing if it needs too many nodes.
  std::optional<Packing> at(double factor) const {
    std::vector<Session> scaled;
    for (const std::size_t i : served_) {
      scaled.push_back(sessions_[i]);
      scaled.back().rate_rps = std::max(kMinRps, sessions_[i].rate_rps * factor);
    }
    const auto most_nodes = static_cast<std::size_t>(gpus_);
    Packing packing = pack_sessions(scaled, most_nodes);
    if (packing.nodes.size() > most_nodes) return std::nullopt;
    for (PackedNode& node : packing.nodes) {
      for (NodeShare& share : node.shares) share.session = served_[share.session];
    }
    for (std::size_t& session : packing.unservable) session = served_[session];
    return packing;
  }

  /// Stops serving the session with the smallest rate, and returns it.
  std::size_t leave_out() {
    const auto least = std::min_element(served_.rbegin(), served_.rend(), [&](std::size_t a, std::size_t b) {
      return sessions_[a].rate_rps < sessions_[b].rate_rps;
    });
    const std::size_t session = *least;
    served_.erase(std::next(least).base());
    return session;
  }

 private:
  const std::vector<Session>& sessions_;
  int gpus_;
  std::vector<std::size_t> served_;
};

/// Finds the packing at the largest factor between `fits`, which fits, and `too_much`, which does not.
void bisect(const ScaledPacker& packer, double fits, double too_much, SizedPacking& sized) {
  while (too_much - fits > 1e-12 * too_much) {
    const double middle = fits + (too_much - fits) / 2;
    if (auto packing = packer.at(middle)) {
      fits = middle;
      sized.packing = std::move(*packing);
      sized.rate_factor = middle;
    } else {
      too_much = middle;
    }
  }
}

}  // namespace

bool has_independent_models(const ServingContext& context) {
  if (context.profiles.size() < 2 || !has_only_batches(context)) return false;
  for (std::size_t m = 0; m < context.profiles.size(); ++m) {
    const Module& module = context.pipeline->modules[m];
    if (!module.pres.empty() || !module.subs.empty()) return false;
  }
  return true;
}

std::vector<Session> sessions_of(const ServingContext& context, const LoadStatistics& load,
                                 const std::vector<Profile>& profiles, const NexusParams& params) {
  const std::vector<double> rates_rps = rates_of(context, load);
  const TimeNs network_ns = ms_to_ns(params.network_ms);
  std::vector<Session> sessions;
  for (ModuleId m = 0; m < profiles.size(); ++m) {
    TimeNs slo_ns = 0;
    for (const Stream& stream : context.streams) {
      if (stream.entry == m) slo_ns = slo_ns == 0 ? stream.slo_ns : std::min(slo_ns, stream.slo_ns);
    }
    sessions.push_back({&profiles[m], std::max<TimeNs>(0, slo_ns - network_ns), rates_rps[m]});
  }
  return sessions;
}

std::unique_ptr<Planner> make_packing_planner(const ServingContext& context, const NexusParams& params) {
  return std::make_unique<PackingPlanner>(context, params);
}

SizedPacking pack_onto(const std::vector<Session>& sessions, int gpus, NexusSpare spare) {
  ScaledPacker packer(sessions, gpus);
  SizedPacking sized;
  std::optional<Packing> least;
  while (packer.has_sessions() && !(least = packer.at(kMinFactor)))
    sized.left_out.push_back(packer.leave_out());
  if (!packer.has_sessions()) return sized;
  double fits = kMinFactor;
  sized.packing = std::move(*least);
  sized.rate_factor = fits;
  for (double factor = 1; factor <= (spare == NexusSpare::kScaled ? kMaxFactor : 1); factor *= 2) {
    auto packing = packer.at(factor);
    if (!packing) {
      bisect(packer, fits, factor, sized);
      break;
    }
    fits = factor;
    sized.packing = std::move(*packing);
    sized.rate_factor = fits;
  }
  return sized;
}

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
