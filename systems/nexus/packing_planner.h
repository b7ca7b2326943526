// Nexus's planner for independent models (SHEPHERD, section 7: "Nexus").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "harness/serving/context.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "systems/nexus/nexus_params.h"
#include "systems/nexus/squishy_packing.h"

namespace harness {

// Nexus on a cluster of fixed size: the rates that a packing of its sessions satisfies completely (SHEPHERD,
// section 7.1).

/// A packing on as many nodes as there are.
struct SizedPacking {
  Packing packing;  ///< packing with at most as many nodes as GPUs; it has indices of the sessions given
  double rate_factor = 1;             ///< factor of all rates for which it is made
  std::vector<std::size_t> left_out;  ///< sessions without a node though an idle GPU could serve them
};

/// Packs onto a fixed number of GPUs. "With a fixed number of workers, Nexus can only make its planning
/// decision assuming a specific arrival rate that it can completely satisfy": if the packing at the given
/// rates needs more than `gpus` nodes, all rates are multiplied by the largest factor at which it fits, found
/// by bisection (to 1e-12; as the number of nodes may fall now and then while the rates grow, it is one of
/// the factors above which the packing does not fit). If it needs fewer nodes, the rest is unused or, with
/// kScaled, the factor grows above 1. If even a millionth of the rates needs too many nodes (sessions that
/// share no node, or one whose rate is a million times what the GPUs serve), the session with the smallest
/// rate (of equals the last) is left out, then the next (R): serving all at less than that would mean to
/// serve no session. Sessions without a rate get no node.
SizedPacking pack_onto(const std::vector<Session>& sessions, int gpus, NexusSpare spare);

/// True if Nexus plans by packing: there are two or more modules, each a model on GPUs that takes requests
/// from streams and sends nothing on.
bool has_independent_models(const ServingContext& context);

/// Returns one session per module, in order, with the shortest SLO of its streams (0 without streams), less
/// the network's part, and the rate to provision for. `profiles` are the modules' profiles with the margin.
std::vector<Session> sessions_of(const ServingContext& context, const LoadStatistics& load,
                                 const std::vector<Profile>& profiles, const NexusParams& params);

/// Makes a planner that uses squishy bin packing (pack_onto): a group of one worker for each node, with the
/// batches of its sessions and its duty cycle. A module's own maximum batch size is the largest of its nodes'
/// sizes; a module without a node has no workers, and its visits are dropped. The rate to provision for is
/// the largest over a second (LoadStatistics::peak_rps) if that is known; else the rate that the streams
/// promise or, later, sent in the period before; or an equal share for each stream. A later plan keeps the
/// nodes of the plan before it that it needs again (continued_plan). The context outlives the planner.
std::unique_ptr<Planner> make_packing_planner(const ServingContext& context, const NexusParams& params);

// The way in which a session's visits are spread over the nodes of Nexus's packing.

/// Returns the visits/s for which each group of the plan is packed at this module: batch / duty cycle, or 0
/// if it does not serve the module.
std::vector<double> planned_rps(const Plan& plan, ModuleId module);

/// Weighted round robin: after n visits each queue has had its share of the n within one visit. Among the
/// queues that are not ahead of their share, the next visit goes to the one whose share of the visits so far
/// next reaches a whole visit (the first of several): earliest deadline first, which keeps every share within
/// one (proportionate fairness: Baruah et al., 1996). Counting starts again whenever the queues or the
/// weights change. If no queue has a weight, all have the same. A visit costs O(log n) with n queues, a call
/// O(n).
class QuotaRouter final : public Router {
 public:
  /// Uses `weights`, one for each group, until on_plan() sets planned_rps() of the module.
  explicit QuotaRouter(ModuleId module, std::vector<double> weights = {})
      : module_(module), weights_(std::move(weights)) {}

  void on_plan(const Plan& plan) override;
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override;

 private:
  struct Quota {
    QueueId queue = 0;
    double share = 0;  ///< share of all visits
    double sent = 0;
  };
  /// A number of visits to all queues together, and a queue's index. Of equal numbers the first queue comes
  /// first.
  using Turn = std::pair<double, std::uint32_t>;
  using Turns = std::priority_queue<Turn, std::vector<Turn>, std::greater<>>;

  void start_anew(std::span<const QueueView> queues);
  std::uint32_t next();

  ModuleId module_;
  std::vector<double> weights_;
  std::vector<Quota> quotas_;  ///< one for each queue, in their order
  Turns ahead_;   ///< queues ahead of their share, by the number of the visit with which they no longer are
  Turns behind_;  ///< other queues, by the number of the visit up to which their next one is due
  double sent_ = 0;
};

}  // namespace harness
