// Predicts the CV of the arrivals at each stage from the stages around it (QUART, section 5.2).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"
#include "systems/quart/attention.h"
#include "systems/quart/stage_features.h"

namespace harness {

/// The way to predict CVs. attention: Eq. 4-6, with the weights that the program was built with. qna: each
/// stage's departures by Whitt's Queueing Network Analyzer (Bell System Technical Journal, 1983), from the
/// arrivals at the entry on; beyond the paper. measured: the CV of the stage's own arrivals.
enum class CvMethod { kAttention, kQna, kMeasured };

/// Returns the squared CV of the departures of a G/G/m queue: 1 + (1 - rho^2)(ca^2 - 1) + rho^2 / sqrt(m)
/// (cs^2 - 1). This is QNA, eq. 39, without its floor of 0.2 under cs^2, so that equal deterministic stages
/// stay deterministic.
double departure_scv(double arrival_scv, double service_scv, double utilisation, int replicas);

/// A predictor that uses the same method all over a run. It does not take task trees.
class CvPredictor {
 public:
  /// `pipeline` need not outlive this. `service_cv` is the CV of all stages.
  CvPredictor(const Pipeline& pipeline, CvMethod method, double service_cv);
  /// Predicts the CVs of arrivals, by module as in `stages`. A CV that is not known counts as 1, as of a
  /// Poisson process. Does not allocate.
  void predict(std::span<const StageFeatures> stages, std::span<double> cv);

 private:
  /// The visits of a module that come from a module before it.
  struct Inflow {
    ModuleId from = 0;
    double probability = 1;  ///< probability that a visit there goes on to here
    double share = 1;        ///< share of the visits here
  };

  void predict_by_qna(std::span<const StageFeatures> stages, std::span<double> cv);

  CvMethod method_;
  std::optional<Attention> attention_;
  double service_scv_;
  std::vector<Inflow> inflows_;      ///< inflows of all modules, one module after the other
  std::vector<std::size_t> begins_;  ///< index of its first inflow, by module; one more at the end
  std::vector<double> departures_;   ///< squared CV of the departures, by module
};

}  // namespace harness
