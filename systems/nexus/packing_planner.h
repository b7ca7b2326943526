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
  Packing packing;                    ///< at most as many nodes as GPUs; indices of the sessions given
  double rate_factor = 1;             ///< it is for all rates times this
  std::vector<std::size_t> left_out;  ///< sessions that have no node though an idle GPU could serve them
};

/// "With a fixed number of workers, Nexus can only make its planning decision assuming a specific arrival
/// rate that it can completely satisfy": if the packing at the given rates needs more than `gpus` nodes, all
/// rates are multiplied by the largest factor at which it fits, found by bisection (to 1e-12; the number of
/// nodes may fall now and then as the rates grow: then one of the factors beyond which it does not). If it
/// needs fewer, the rest is unused or, with kScaled, the factor grows above 1. If even a
/// millionth of the rates needs too many nodes (sessions that share none, or one whose rate is a million
/// times what the GPUs serve), the session with the smallest rate (of equals the last) is left out, then the
/// next (R): to serve all at less than that would be to serve none. Sessions without a rate get no node.
SizedPacking pack_onto(const std::vector<Session>& sessions, int gpus, NexusSpare spare);

/// Whether Nexus plans by packing: two or more modules, each a model on GPUs that takes requests from streams
/// and sends nothing on.
bool has_independent_models(const ServingContext& context);

/// One session per module, in order: the shortest SLO of its streams (0 without streams), less the network's
/// part; the rate to provision for. `profiles`: by module, with the margin.
std::vector<Session> sessions_of(const ServingContext& context, const LoadStatistics& load,
                                 const std::vector<Profile>& profiles, const NexusParams& params);

/// Plans by squishy bin packing (pack_onto): a group of one worker for each node, with the batches of its
/// sessions and its duty cycle. A module's own maximum batch size is the largest of its nodes'; one without a
/// node has no workers, and its visits are dropped. The rate to provision for is the largest over a second
/// (LoadStatistics::peak_rps) if that is known; else what the streams promise or, later, sent in the period
/// before; or an equal share for each stream. A later plan has the nodes of the one before it that it needs
/// again (continued_plan). The context outlives the planner.
std::unique_ptr<Planner> make_packing_planner(const ServingContext& context, const NexusParams& params);

// How a session's visits are spread over the nodes of Nexus's packing.

/// Visits/s that each group of the plan is packed for at this module: batch / duty cycle; 0 where it does not
/// serve the module.
std::vector<double> planned_rps(const Plan& plan, ModuleId module);

/// Weighted round robin: after n visits each queue has had its share of the n within one visit. The next
/// visit goes, among the queues that are not ahead of their share, to the one whose share of the visits so
/// far next reaches a whole visit (the first of several): earliest deadline first, which keeps every share
/// within one (proportionate fairness: Baruah et al., 1996). Counted again whenever the queues or the weights
/// change. Where no queue has a weight all have the same. A visit costs O(log n) with n queues, a call
/// O(n).
class QuotaRouter final : public Router {
 public:
  /// `weights`: by group, until on_plan says others: planned_rps of the module.
  explicit QuotaRouter(ModuleId module, std::vector<double> weights = {})
      : module_(module), weights_(std::move(weights)) {}

  void on_plan(const Plan& plan) override;
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override;

 private:
  struct Quota {
    QueueId queue = 0;
    double share = 0;  ///< of all visits
    double sent = 0;
  };
  /// A number of visits to all queues together, and a queue's index: the first of equal ones comes first.
  using Turn = std::pair<double, std::uint32_t>;
  using Turns = std::priority_queue<Turn, std::vector<Turn>, std::greater<>>;

  void start_anew(std::span<const QueueView> queues);
  std::uint32_t next();

  ModuleId module_;
  std::vector<double> weights_;
  std::vector<Quota> quotas_;  ///< as the queues
  Turns ahead_;                ///< of their share, each by the visit with which it no longer is
  Turns behind_;               ///< the others, by the visit up to which their next one is due
  double sent_ = 0;
};

}  // namespace harness
