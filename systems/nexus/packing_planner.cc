#include "systems/nexus/packing_planner.h"

#include <algorithm>
#include <utility>

#include "harness/serving/common_plans.h"
#include "systems/nexus/sized_packing.h"

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

}  // namespace harness
