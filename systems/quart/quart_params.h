// The parameters of `quart`; the README.md beside this file says where each comes from.
#pragma once

#include "harness/core/param_list.h"
#include "systems/quart/corrector_params.h"
#include "systems/quart/cv_predictor.h"

namespace harness {

/// The unit that is scaled: each stage, or pipelines as a whole (the control Uniform: 3.3, "all pipeline
/// stages are proportionally scaled").
enum class ScaledUnit { kStage, kPipeline };
/// The rate that a stage's replicas are calculated for: "based on QPS" (section 5.2).
enum class Qps {
  kEntry,  ///< requests that enter the pipeline and reach every stage in the end (4.1), or kStage if more
  kStage   ///< visits that arrive at the stage: behind a congested one they are fewer
};
/// The use of the CPU compensator: if the profiles have cpu_ms and cores are limited, always, or never.
enum class Cores { kAuto, kOn, kOff };

struct QuartParams {
  double period_ms = 100;
  double window_s = 1;
  double cv_window_s = 10;
  double max_utilisation = 0.9;
  Qps qps = Qps::kEntry;
  int max_batch = 1;
  ScaledUnit unit = ScaledUnit::kStage;
  CorrectorParams corrector;
  bool smoother = true;
  CvMethod cv = CvMethod::kAttention;
  double service_cv = 0.17;
  double beta_half = 1;
  int reclaim_step = 1;
  double reclaim_after_s = 5;
  Cores cores = Cores::kAuto;
  int cores_max = 0;

  void list(ParamList& params) {
    params.number("period_ms", period_ms, 1, 1e6, "replicas and cores are decided so often (reconstruction)");
    params.number("window_s", window_s, 0.001, 1e5,
                  "rates are smoothed exponentially with this time constant (reconstruction)");
    params.number("cv_window_s", cv_window_s, 0.001, 1e5,
                  "CVs of arrivals are measured likewise (reconstruction)");
    params
        .number("max_utilisation", max_utilisation, 0.05, 1,
                "a stage never has fewer replicas than its rate keeps busy for this share of the time: r_min "
                "and the first plan (reconstruction)")
        .reading({0.8, 1.0});
    params
        .choice("qps", qps, {"entry", "stage"},
                "the rate that r_min and replicas by CV are for: of the requests that enter the pipeline, or "
                "what arrives at the stage if that is more; what arrives at the stage (reconstruction)")
        .reading();
    params.integer("max_batch", max_batch, 1, 1024,
                   "largest batch (section 3.2: throughput is the reciprocal of the time, so 1; larger ones "
                   "are beyond the paper)");
    params.choice("unit", unit, {"stage", "pipeline"},
                  "what is scaled: each stage; or all stages of a pipeline to the largest number that one "
                  "wants (the control Uniform)");
    corrector.list(params);
    params.flag(
        "smoother", smoother,
        "replicas are smoothed along the pipeline and surplus ones reclaimed (section 5.2); off: never");
    params.choice(
        "cv", cv, {"attention", "qna", "measured"},
        "CV of a stage's arrivals: from its neighbours by the attention of section 5.2; from the stages "
        "before it by Whitt's formula (beyond the paper); as measured there");
    params.number("service_cv", service_cv, 0, 100,
                  "CV of execution times for qna and for replicas by CV (reconstruction: uniform, +-30 %)");
    params.number("beta_half", beta_half, 0, 1e6,
                  "beta(CV) of Eq. 7 is CV / (this + CV) (reconstruction); 0: neighbours do not count");
    params.integer("reclaim_step", reclaim_step, 1, 1000000,
                   "at most so many replicas of a stage are reclaimed in a period (reconstruction)");
    params.number("reclaim_after_s", reclaim_after_s, 0, 1e5,
                  "and only after fewer would have done for so long (reconstruction)");
    params.choice(
        "cores", cores, {"auto", "on", "off"},
        "whether stages that lose replicas get more cores (section 5.3): where profiles have cpu_ms "
        "and cores are limited; yes, or the cell is refused; no");
    params.integer("cores_max", cores_max, 0, 100000,
                   "CPU_max, cores of an instance (section 5.3); 0: a server's, divided by its GPUs "
                   "(reconstruction)");
  }
};

}  // namespace harness
