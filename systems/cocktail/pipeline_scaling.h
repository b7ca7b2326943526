// Cocktail's resource manager over a pipeline: whole pipelines by a forecast of the load, more where queues
// show that it was too low (Gunasekaran et al., NSDI'22; QUART, section 8.1).
#pragma once

#include <memory>
#include <vector>

#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

/// By what rate the pipelines of the next period are chosen.
enum class Forecast {
  kTrend,     ///< the sampled rates, by Holt's linear smoothing as far ahead as it takes
  kLast,      ///< the last sampled rate
  kForesight  ///< the largest rate that the run will really have: of a forecaster without errors
};

/// Cocktail's settings.
struct PipelineScalingParams {
  Forecast forecast = Forecast::kTrend;
  double period_s = 60;
  double window_s = 5;
  double headroom = 1.2;
  double level_gain = 0.5;
  double trend_gain = 0.3;
  bool reactive = true;
  double scale_in_s = 360;

  void list(ParamList& params);
  TimeNs window_ns() const { return s_to_ns(window_s); }
};

/// How many workers each module has in so many whole pipelines: the module that takes most time of a request
/// (visits / throughput of a worker) one for each pipeline, the others in proportion to theirs, rounded up.
/// Where all take the same, as in QUART's models, all have as many as there are pipelines.
class WholePipelines {
 public:
  /// `batches`: by module, at which its throughput counts.
  WholePipelines(const ServingContext& context, const std::vector<int>& batches);

  std::vector<int> workers(int pipelines) const;
  /// The fewest in which each module has `busy[m]` workers or more, or as many as the cluster holds; at least
  /// one.
  int holding(const std::vector<double>& busy) const;
  /// The fewest that carry so many requests/s, as holding().
  int carrying(double rate_rps) const;
  /// As many as the plan has of the module that takes most.
  int in(const Plan& plan) const { return plan.modules[slowest_].workers; }
  /// As many as the cluster holds; 0: not even one.
  int most() const { return most_; }

 private:
  std::vector<double> work_s_;  ///< by module: worker seconds of a request
  std::size_t slowest_ = 0;
  int most_ = 0;
};

/// The largest rate, requests/s, of the windows of `window_ns` that begin at `from`, one after the other,
/// until `until`. `sent_ns` is in order.
double largest_rate_rps(const std::vector<TimeNs>& sent_ns, TimeNs from, TimeNs until, TimeNs window_ns);

/// Is to be asked every `window_s`. Whole pipelines for headroom x the largest rate forecast for the time
/// until those of the next forecast serve, `period_s` and a start-up from now; a forecast is made every
/// `period_s` from the largest rate of a window since the one before. Where what waits makes the longest path
/// longer than the SLO, one more, or as many as could serve it by the next look beside what arrives; after
/// that again when those have started. Pipelines go when none of `scale_in_s` needed them. The first plan is
/// for the rate to provision for; it throws InputError where the cluster has too few GPUs for one pipeline.
/// `context` outlives it; all modules run in batches.
std::unique_ptr<Planner> make_pipeline_scaling(const ServingContext& context,
                                               const PipelineScalingParams& params);

}  // namespace harness
