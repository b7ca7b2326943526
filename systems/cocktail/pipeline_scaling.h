// Cocktail's resource manager over a pipeline: whole pipelines by a forecast of the load, and more of them if
// queues show that it was too low (Gunasekaran et al., NSDI'22; QUART, section 8.1).
#pragma once

#include <memory>
#include <vector>

#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

/// The rate by which the pipelines of the next period are chosen.
enum class Forecast {
  kTrend,     ///< the sampled rates, continued by Holt's linear smoothing as far ahead as needed
  kLast,      ///< the last sampled rate
  kForesight  ///< the largest rate that the run will really have, as from a forecaster without errors
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

/// The workers of each module in a number of whole pipelines. The module that takes most time of a request
/// (visits / throughput of a worker) has one worker for each pipeline; the others have theirs in proportion,
/// rounded up. If all modules take the same time, as in QUART's models, each has as many as there are
/// pipelines.
class WholePipelines {
 public:
  /// `batches` are the batch sizes, by module, at which its throughput counts.
  WholePipelines(const ServingContext& context, const std::vector<int>& batches);

  std::vector<int> workers(int pipelines) const;
  /// Returns the fewest pipelines in which each module has `busy[m]` workers or more, or as many pipelines as
  /// the cluster holds; at least one.
  int holding(const std::vector<double>& busy) const;
  /// Returns the fewest pipelines that carry that many requests/s, within the bounds of holding().
  int carrying(double rate_rps) const;
  /// Returns the number of pipelines in the plan, which is its workers of the module that takes most time.
  int in(const Plan& plan) const { return plan.modules[slowest_].workers; }
  /// Returns how many pipelines the cluster holds; 0 if it does not hold even one.
  int most() const { return most_; }

 private:
  std::vector<double> work_s_;  ///< worker seconds that a request takes, by module
  std::size_t slowest_ = 0;
  int most_ = 0;
};

/// Returns the largest rate, in requests/s, of the windows of `window_ns` that begin at `from`, one after the
/// other, until `until`. `sent_ns` must be in order.
double largest_rate_rps(const std::vector<TimeNs>& sent_ns, TimeNs from, TimeNs until, TimeNs window_ns);

/// Returns Cocktail's planner, which is called every `window_s`. It plans whole pipelines for headroom x the
/// largest rate forecast for the time until the pipelines of the next forecast serve, which is `period_s` and
/// a start-up from now. It makes a forecast every `period_s` from the largest rate of a window since the one
/// before.
///
/// If the waiting requests make the longest path longer than the SLO, it adds one pipeline, or as many as
/// could serve them by the next look besides the arriving requests; it does so again only when those have
/// started. Pipelines go if they were not needed for `scale_in_s`. The first plan is for the rate to
/// provision for.
///
/// Throws InputError with the first plan if the cluster has too few GPUs for one pipeline. `context` must
/// outlive it; all modules must run in batches.
std::unique_ptr<Planner> make_pipeline_scaling(const ServingContext& context,
                                               const PipelineScalingParams& params);

}  // namespace harness
