// The CV of the arrivals of each stage (QUART, section 5.2), by what is known of the stages around it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "systems/quart/attention.h"
#include "systems/quart/stage_features.h"

namespace harness {

/// attention: Eq. 4-6, with the weights that the program was built with. qna: from the arrivals at the entry
/// on, each stage's departures by Whitt's Queueing Network Analyzer (Bell System Technical Journal, 1983),
/// beyond the paper. measured: the stage's own arrivals.
enum class CvMethod { kAttention, kQna, kMeasured };

/// CV of the departures of a G/G/m queue: 1 + (1 - rho^2)(ca^2 - 1) + rho^2 / sqrt(m) (cs^2 - 1), squared
/// (QNA, eq. 39 without its floor of 0.2 under cs^2, so that equal deterministic stages stay so).
double departure_scv(double arrival_scv, double service_scv, double utilisation, int replicas);

/// Predicts by the same method all over a run. Not of task trees.
class CvPredictor {
 public:
  /// `pipeline` need not outlive it. `service_cv`: of all stages.
  CvPredictor(const Pipeline& pipeline, CvMethod method, double service_cv);
  /// CVs of arrivals, by module as `stages`. What nobody knows counts as 1, a Poisson process. Does not
  /// allocate.
  void predict(std::span<const StageFeatures> stages, std::span<double> cv);

 private:
  /// A module's visits that come from a module before it.
  struct Inflow {
    ModuleId from = 0;
    double probability = 1;  ///< that a visit there goes on to here
    double share = 1;        ///< of the visits here
  };

  void predict_by_qna(std::span<const StageFeatures> stages, std::span<double> cv);

  CvMethod method_;
  std::optional<Attention> attention_;
  double service_scv_;
  std::vector<Inflow> inflows_;      ///< by module, one after the other
  std::vector<std::size_t> begins_;  ///< by module: its first inflow; one more at the end
  std::vector<double> departures_;   ///< by module: squared CV
};

}  // namespace harness
