// InferLine's low-frequency Planner (section 4.3, Algorithms 1 and 2), and the coarse-grained plans that its
// evaluation compares with (section 6).
#pragma once

#include <map>
#include <string>

#include "harness/core/params.h"
#include "systems/inferline/configuration.h"
#include "systems/inferline/estimator.h"

namespace harness {

/// The model whose batch grows when no action cuts cost, since all larger batches save 0 $ (R).
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

/// Plans the pipeline as one black box: all models run on their fastest hardware with one maximum batch size,
/// the largest with which the longest path meets the SLO (R). Its units, of one replica of each model, are as
/// many as `rate_rps` needs. Throws InputError as GreedyPlanner::initial does.
Configuration coarse_plan(const Pipeline& pipeline, const Hardware& hardware, const Estimator& estimator,
                          TimeNs slo_ns, double rate_rps);
/// Returns the queries/s that all replicas of the slowest model serve.
double throughput_rps(const Hardware& hardware, const Estimator& estimator,
                      const Configuration& configuration);
/// Returns the queries/s that one unit, a replica of each model, serves.
double unit_rps(const Hardware& hardware, const Estimator& estimator, const Configuration& configuration);
/// Returns the sample's process with all gaps `factor` times as long.
std::vector<TimeNs> stretched(std::span<const TimeNs> sample, double factor);
/// Returns the queries/s at which one unit just meets the SLO, if the sample's process is made slower or
/// faster (AutoScale: "one server carries r requests/s within the SLO"). The result is exact to 0.1 % of the
/// unit's throughput.
double unit_rate_within_slo_rps(const Pipeline& pipeline, const Hardware& hardware,
                                std::span<const TimeNs> sample, TimeNs sample_ns, std::uint64_t seed,
                                const Configuration& configuration, TimeNs slo_ns,
                                PathDraws draws = PathDraws::kRoute);
/// Returns the largest rate in any window of that length, in queries/s.
double peak_rate_rps(std::span<const TimeNs> sent_ns, TimeNs window_ns);

}  // namespace harness
