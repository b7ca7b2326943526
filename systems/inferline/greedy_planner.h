// InferLine's low-frequency Planner (section 4.3, Algorithms 1 and 2).
#pragma once

#include <cstdint>
#include <map>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"
#include "systems/inferline/estimator.h"
#include "systems/inferline/greedy_params.h"
#include "systems/inferline/hardware.h"
#include "systems/inferline/model_configuration.h"

namespace harness {

/// Plans for one sample and its rate in queries/s.
class GreedyPlanner {
 public:
  /// All references must outlive this. `sample_ns` is the length of the estimator's sample.
  GreedyPlanner(const Pipeline& pipeline, const Hardware& hardware, Estimator& estimator, TimeNs sample_ns,
                TimeNs slo_ns, const GreedyParams& params);

  /// Runs Algorithm 2. In the end no single action cuts cost and keeps P99 <= SLO. The cluster may have too
  /// few devices for the result (Hardware::check_room_for). Throws InputError as initial() does.
  Configuration plan();
  /// Runs Algorithm 1. The result is feasible, whatever it costs and whatever the cluster has. Throws
  /// InputError if the shortest service time is longer than the SLO.
  Configuration initial();
  /// True if every model keeps up (at most max_utilisation), P99 <= SLO, and the rule of sizing_factor holds.
  /// Remembers its verdicts.
  bool is_feasible(const Configuration& configuration);

  /// Returns the queries/s of the sample.
  double rate_rps() const { return rate_rps_; }
  /// Returns rate x s_m / (k_m mu_m): the paper's max-provisioning ratio rho_m (section 5).
  double utilisation(const Configuration& configuration, ModuleId module) const;
  /// Returns the fewest replicas with which the model keeps up (at most max_utilisation).
  int replicas_to_keep_up(ModuleId module, const ModelConfiguration& of) const;
  /// Returns the largest batch that the model can run on that kind.
  int largest_batch(ModuleId module, const ModelConfiguration& of) const;
  /// Returns the number of simulations so far.
  int simulations() const { return simulations_; }

 private:
  struct Step {
    double saving = 0;
    Configuration to;
  };

  /// Returns the feasible action that cuts cost most; `to` is empty if there is no such action.
  Step cheapest_step(const Configuration& from);
  /// DowngradeHW: plans the model anew on the next cheaper kind, with all others frozen. The result is empty
  /// if that is infeasible or saves no more than `at_least`.
  Configuration downgraded(const Configuration& from, ModuleId module, double at_least);
  /// IncreaseBatch: doubles the batch of the model that `batch_choice` says. The result is empty if no such
  /// step is feasible.
  Configuration with_larger_batch(const Configuration& from);
  /// Returns, by bisection, the smallest number of replicas with which the configuration is feasible and the
  /// model keeps up. It is at most `most`, which must be feasible.
  int fewest_replicas(Configuration configuration, ModuleId module, int most);
  /// Returns the $/h that the model costs at least on that kind if it keeps up.
  double least_cost(ModuleId module, std::uint16_t device) const;

  const Pipeline& pipeline_;
  const Hardware& hardware_;
  Estimator& estimator_;
  TimeNs slo_ns_;
  GreedyParams params_;
  double rate_rps_;
  int simulations_ = 0;
  std::map<Configuration, bool> known_;
};

/// Returns the start of Algorithm 1, lines 2 to 7: batches of 1 on the fastest hardware. Throws InputError if
/// the shortest service time, times `sizing_factor` if that is above 1, is longer than the SLO.
Configuration fastest_configuration(const Pipeline& pipeline, const Hardware& hardware, TimeNs slo_ns,
                                    double sizing_factor = 1);

}  // namespace harness
