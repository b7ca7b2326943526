#include "systems/infless/instance_planner.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/routes.h"
#include "harness/serving/common_plans.h"
#include "systems/infless/idle_times.h"
#include "systems/infless/instance_kind.h"

namespace harness {
namespace {

/// A module and its instances.
struct Function {
  std::vector<InstanceKind> kinds;
  InstanceKind kind;  ///< present kind of all its instances
  TimeNs slo_ns = 0;
  int gpus = 1;
  int slot_cores = 0;
  int most = 0;  ///< number of instances for which the cluster has room
  double rate_rps = 0;
  int wanted = 0;                ///< number of instances to which its rate should be dealt
  int dealt = 0;                 ///< number of instances to which it is dealt
  std::vector<TimeNs> ready_ns;  ///< time when it can serve, by instance
  /// Start of the idle time of each instance that was needed and no longer is: when it became idle or, if
  /// later, when it can serve. The last to become idle is last. Instances that have gone stay in the list,
  /// because an idle time ends when the next instance is needed.
  std::vector<TimeNs> idle_since;
  IdleTimes idle_times;
};

class InstancePlanner final : public Planner {
 public:
  InstancePlanner(const ServingContext& context, const InflessParams& params)
      : context_(context),
        params_(params),
        visits_(visit_probabilities(*context.pipeline)),
        functions_(context.pipeline->modules.size()) {
    std::vector<TimeNs> alone_ns;
    for (const Profile* const profile : context.profiles) alone_ns.push_back(profile->latency(1));
    const std::vector<TimeNs> shares_ns = proportional_budgets(context, alone_ns);
    for (ModuleId m = 0; m < functions_.size(); ++m) {
      functions_[m].slo_ns = shares_ns[m];
      describe(m);
    }
  }

  Plan plan(TimeNs now, const LoadStatistics& load, const Plan& current) override {
    std::vector<int> before(functions_.size(), 0);
    for (ModuleId m = 0; m < current.modules.size(); ++m) before[m] = current.modules[m].workers;
    for (ModuleId m = 0; m < functions_.size(); ++m) {
      functions_[m].rate_rps = load.module_rps.empty() ? load.offered_rps * visits_[m] : load.module_rps[m];
      decide(functions_[m], before[m]);
    }
    int free_gpus = deal_gpus(now, before);
    Plan plan;
    for (ModuleId m = 0; m < functions_.size(); ++m) {
      Function& function = functions_[m];
      const int idle = std::min(idle_instances(now, function, before[m]), free_gpus / function.gpus);
      free_gpus -= idle * function.gpus;
      ModulePlan& module = plan.modules.emplace_back();
      module.workers = function.dealt + idle;
      function.ready_ns.resize(static_cast<std::size_t>(module.workers));
      module.max_batch = function.kind.batch;
      module.exec_ns = function.kind.exec_ns;
      module.budget_ns = function.slo_ns;
      module.cores = function.kind.cores;
    }
    return plan;
  }

 private:
  void describe(ModuleId m) {
    Function& function = functions_[m];
    const Profile& profile = *context_.profiles[m];
    const ServerShape& servers = context_.servers;
    function.gpus = profile.gpus;
    function.most = servers.instances(context_.workers, profile.gpus);
    if (servers.gpus > 0) function.slot_cores = servers.cores / servers.gpus * profile.gpus;
    const InstanceLimits limits{function.slot_cores, params_.cores == CoreRule::kBatch};
    function.kinds = feasible_kinds(profile, function.slo_ns, limits);
    if (function.kinds.empty())
      throw InputError("infless: an instance of " + context_.pipeline->modules[m].name + " takes at least " +
                       text_of(ns_to_ms(profile.latency(1))) + " ms, its share of the SLO is " +
                       text_of(ns_to_ms(function.slo_ns)) + " ms");
    function.kind = function.kinds.front();
  }

  /// Decides how many instances should have the rate, and the kind of all of them.
  void decide(Function& function, int instances) const {
    const double rate_rps = function.rate_rps;
    if (instances == 0 || !is_well_used(function.kind, instances, rate_rps, params_.alpha)) {
      const InstanceKind& kind = choose_kind(function.kinds, rate_rps, function.gpus, function.slot_cores);
      // The present instances must not get slower while others would have to start.
      if (instances == 0 || kind.up_rps >= function.kind.up_rps || instances_for(kind, rate_rps) <= instances)
        function.kind = kind;
    }
    function.wanted = dealt_instances(function.kind, instances, rate_rps, params_.alpha);
  }

  /// Gives wanted instances their GPUs; returns how many GPUs are left.
  int deal_gpus(TimeNs now, const std::vector<int>& before) {
    int free_gpus = context_.workers;
    std::vector<int> dealt;
    for (ModuleId m = 0; m < functions_.size(); ++m) {
      dealt.push_back(std::min(before[m], functions_[m].wanted));
      free_gpus -= dealt[m] * functions_[m].gpus;
    }
    for (;;) {
      const Function* least = nullptr;
      double least_share = 1;
      for (ModuleId m = 0; m < functions_.size(); ++m) {
        const Function& function = functions_[m];
        const double share = static_cast<double>(dealt[m]) / function.wanted;
        if (share >= least_share || dealt[m] >= function.most || function.gpus > free_gpus) continue;
        least = &function;
        least_share = share;
      }
      if (least == nullptr) break;
      ++dealt[static_cast<std::size_t>(least - functions_.data())];
      free_gpus -= least->gpus;
    }
    for (ModuleId m = 0; m < functions_.size(); ++m) {
      if (dealt[m] == 0)
        throw InputError("infless has no GPU left for an instance of " + context_.pipeline->modules[m].name +
                         ", the cluster has " + std::to_string(context_.workers));
      set_dealt(now, m, dealt[m], before[m]);
    }
    return free_gpus;
  }

  /// Sets the number of instances with a rate: some become idle, idle ones are needed again, others start.
  void set_dealt(TimeNs now, ModuleId m, int dealt, int before) {
    Function& function = functions_[m];
    const TimeNs ready_ns = function.ready_ns.empty() ? now : now + context_.activation_ns[m];
    // There are fewer than planned if the first plan was cut.
    function.dealt = std::min(function.dealt, before);
    function.ready_ns.resize(static_cast<std::size_t>(before), ready_ns);
    for (; function.dealt < dealt; ++function.dealt) {
      if (function.idle_since.empty()) continue;
      if (function.idle_since.back() < now) function.idle_times.add(now, now - function.idle_since.back());
      function.idle_since.pop_back();
    }
    for (; function.dealt > dealt; --function.dealt)
      function.idle_since.push_back(
          std::max(now, function.ready_ns[static_cast<std::size_t>(function.dealt) - 1]));
    function.ready_ns.resize(static_cast<std::size_t>(std::max(dealt, before)), ready_ns);
  }

  /// Returns how many of the idle instances are kept warm.
  int idle_instances(TimeNs now, Function& function, int instances) const {
    if (instances <= function.dealt) return 0;
    const TimeNs fixed_ns = s_to_ns(params_.keep_alive_s);
    const TimeNs keep_ns =
        params_.keep_alive == KeepAlive::kFixed ? fixed_ns : function.idle_times.keep_alive_ns(now, fixed_ns);
    const auto is_over = [&](TimeNs since) { return now - since >= keep_ns; };
    const auto warm = std::find_if_not(function.idle_since.begin(), function.idle_since.end(), is_over);
    return std::min(instances - function.dealt, static_cast<int>(function.idle_since.end() - warm));
  }

  const ServingContext& context_;
  InflessParams params_;
  std::vector<double> visits_;  ///< visits of a request, by module
  std::vector<Function> functions_;
};

}  // namespace

std::unique_ptr<Planner> make_instance_planner(const ServingContext& context, const InflessParams& params) {
  return std::make_unique<InstancePlanner>(context, params);
}

}  // namespace harness
