// InferLine's low-frequency Planner (section 4.3, Algorithms 1 and 2), and the coarse-grained plans that its
// evaluation compares with (section 6).
#pragma once

#include <map>
#include <string>

#include "harness/core/params.h"
#include "systems/inferline/configuration.h"
#include "systems/inferline/estimator.h"

namespace harness {

/// Which model's batch grows when no action cuts cost: all of them save 0 $ (R).
enum class GrownBatch {
  kSaving,  ///< the one whose larger batches would make most $ of replicas superfluous
  kFirst    ///< the first whose larger batch is feasible: the algorithm's own order
};

struct GreedyParams {
  GrownBatch batch_choice = GrownBatch::kSaving;
  double max_utilisation = 1;
  double sizing_factor = 0;

  void list(ParamList& params);
};

/// Plans for one sample, with the queries/s of which it consists.
class GreedyPlanner {
 public:
  /// All outlive this. `sample_ns`: length of the estimator's sample.
  GreedyPlanner(const Pipeline& pipeline, const Hardware& hardware, Estimator& estimator, TimeNs sample_ns,
                TimeNs slo_ns, const GreedyParams& params);

  /// Algorithm 2. In the end no single action cuts cost and keeps P99 <= SLO. The cluster may have too few
  /// devices for it (Hardware::check_room_for). Throws InputError as initial().
  Configuration plan();
  /// Algorithm 1: feasible, whatever it costs, and whatever the cluster has. Throws InputError where the
  /// shortest service time is longer than the SLO.
  Configuration initial();
  /// Whether every model keeps up (at most max_utilisation) and P99 <= SLO, and the rule of sizing_factor.
  /// Remembers what it has found.
  bool is_feasible(const Configuration& configuration);

  /// Queries/s of the sample.
  double rate_rps() const { return rate_rps_; }
  /// rate x s_m / (k_m mu_m): the paper's max-provisioning ratio rho_m (section 5).
  double utilisation(const Configuration& configuration, ModuleId module) const;
  /// The fewest replicas with which the model keeps up (at most max_utilisation).
  int replicas_to_keep_up(ModuleId module, const ModelConfiguration& of) const;
  /// That the model can run on that kind.
  int largest_batch(ModuleId module, const ModelConfiguration& of) const;
  /// Simulations so far.
  int simulations() const { return simulations_; }

 private:
  struct Step {
    double saving = 0;
    Configuration to;
  };

  /// The feasible action that cuts cost most; `to` is empty when none does.
  Step cheapest_step(const Configuration& from);
  /// DowngradeHW: the model on the next cheaper kind, planned anew with all others frozen; empty where that
  /// is infeasible or saves no more than `at_least`.
  Configuration downgraded(const Configuration& from, ModuleId module, double at_least);
  /// IncreaseBatch of the model that `batch_choice` says; empty when none is feasible.
  Configuration with_larger_batch(const Configuration& from);
  /// The smallest number of replicas, from what keeps up on, with which it is feasible: in (.., most], where
  /// `most` is; by bisection.
  int fewest_replicas(Configuration configuration, ModuleId module, int most);
  /// $/h that the model must cost at least on that kind to keep up.
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

/// The pipeline as one black box: all models on their fastest hardware with one maximum batch size, the
/// largest with which the longest path meets the SLO (R), in as many units of one replica of each as
/// `rate_rps` needs. Throws InputError as GreedyPlanner::initial.
Configuration coarse_plan(const Pipeline& pipeline, const Hardware& hardware, const Estimator& estimator,
                          TimeNs slo_ns, double rate_rps);
/// Queries/s that all replicas of the slowest model serve.
double throughput_rps(const Hardware& hardware, const Estimator& estimator,
                      const Configuration& configuration);
/// The same of one unit, a replica of each model.
double unit_rps(const Hardware& hardware, const Estimator& estimator, const Configuration& configuration);
/// The sample's process with all gaps `factor` times as long.
std::vector<TimeNs> stretched(std::span<const TimeNs> sample, double factor);
/// Queries/s of the sample's process, made slower or faster, with which one unit meets the SLO (AutoScale:
/// "one server carries r requests/s within the SLO"), within 0.1 % of the unit's throughput.
double unit_rate_within_slo_rps(const Pipeline& pipeline, const Hardware& hardware,
                                std::span<const TimeNs> sample, TimeNs sample_ns, std::uint64_t seed,
                                const Configuration& configuration, TimeNs slo_ns,
                                PathDraws draws = PathDraws::kRoute);
/// The largest number of queries in any window of that length, over it.
double peak_rate_rps(std::span<const TimeNs> sent_ns, TimeNs window_ns);

}  // namespace harness
