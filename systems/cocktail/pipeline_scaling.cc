#include "systems/cocktail/pipeline_scaling.h"

#include <algorithm>
#include <string>

#include "harness/core/input_error.h"
#include "harness/core/routes.h"
#include "harness/serving/need_window.h"
#include "harness/serving/planner_params.h"
#include "harness/serving/sizing_planner.h"
#include "systems/cocktail/holt_forecast.h"
#include "systems/cocktail/whole_pipelines.h"

namespace harness {
namespace {

/// Returns the batch sizes of the shared rule; batches of one if it finds no sizes that meet the SLO, since
/// nothing is dropped for being late.
std::vector<int> batches_of(const ServingContext& context) {
  const PlannerParams rule;
  std::vector<double> cost;
  for (const Profile* profile : context.profiles) cost.push_back(static_cast<double>(profile->latency(1)));
  const double path = cost[0] + longest_after(*context.pipeline, cost)[0];
  if (rule.sizing_factor * path > static_cast<double>(context.slo_ns))
    return std::vector<int>(context.profiles.size(), 1);
  return size_batches(context, rule, {});
}

class PipelineScaling final : public Planner {
 public:
  PipelineScaling(const ServingContext& context, const PipelineScalingParams& params)
      : context_(context),
        params_(params),
        batches_(batches_of(context)),
        pipelines_(context, batches_),
        visits_(visit_probabilities(*context.pipeline)),
        holt_(params.level_gain, params.trend_gain) {
    for (const TimeNs activation_ns : context.activation_ns)
      start_up_ns_ = std::max(start_up_ns_, activation_ns);
  }

  Plan plan(TimeNs now, const LoadStatistics& load, const Plan& current) override {
    if (current.modules.empty()) {
      if (pipelines_.most() == 0)
        throw InputError("cocktail needs an instance of each module, for which the " +
                         std::to_string(context_.workers) + " GPUs of the cluster are too few");
      const bool knows = params_.forecast == Forecast::kForesight;
      return plan_of(for_rate(knows ? true_rate(now) : load.offered_rps));
    }
    const TimeNs span_ns = s_to_ns(params_.scale_in_s);
    const int in_force = pipelines_.in(current);
    if (!is_running_) needs_.largest(0, in_force, span_ns);
    is_running_ = true;
    see(now, load);
    return plan_of(needs_.largest(now, std::max(planned_, corrected(now, load, current)), span_ns));
  }

 private:
  int for_rate(double rate_rps) const { return pipelines_.carrying(params_.headroom * rate_rps); }

  double true_rate(TimeNs now) const {
    return largest_rate_rps(context_.planning->run, now, now + start_up_ns_ + params_.window_ns(),
                            params_.window_ns());
  }

  /// Takes note of a window that has passed, and perhaps of a period.
  void see(TimeNs now, const LoadStatistics& load) {
    if (params_.forecast == Forecast::kForesight) {
      planned_ = for_rate(true_rate(now));
      return;
    }
    largest_rps_ = std::max(largest_rps_, load.offered_rps);
    if (now < forecast_ns_ + s_to_ns(params_.period_s)) return;
    forecast_ns_ = now;
    holt_.add(largest_rps_);
    const double steps = 1 + ns_to_s(start_up_ns_) / params_.period_s;
    const double ahead_rps =
        params_.forecast == Forecast::kLast ? largest_rps_ : std::max(holt_.ahead(0), holt_.ahead(steps));
    planned_ = for_rate(std::max(0.0, ahead_rps));
    largest_rps_ = 0;
  }

  /// Returns the number of pipelines that the queues ask for; 1 if they ask for no more.
  int corrected(TimeNs now, const LoadStatistics& load, const Plan& current) {
    if (!params_.reactive || load.modules.empty() || now < corrected_ns_) return 1;
    bool are_waiting = false;
    std::vector<double> path(batches_.size());
    std::vector<double> busy(batches_.size());
    for (std::size_t m = 0; m < batches_.size(); ++m) {
      const int workers = current.modules[m].workers;
      const double present = static_cast<double>(load.modules[m].present);
      const double waiting = std::max(0.0, present - static_cast<double>(workers) * batches_[m]);
      are_waiting = are_waiting || waiting > 0;
      const double rps = worker_rps(*context_.profiles[m], batches_[m]);
      path[m] = ns_to_s(context_.profiles[m]->latency(batches_[m])) + waiting / (workers * rps);
      busy[m] = (load.offered_rps * visits_[m] + waiting / params_.window_s) / rps;
    }
    const double longest_s = path[0] + longest_after(*context_.pipeline, path)[0];
    if (!are_waiting || longest_s <= ns_to_s(context_.slo_ns)) return 1;
    corrected_ns_ = now + start_up_ns_;
    return std::min(pipelines_.most(), std::max(pipelines_.in(current) + 1, pipelines_.holding(busy)));
  }

  Plan plan_of(int pipelines) const {
    const std::vector<int> workers = pipelines_.workers(pipelines);
    Plan plan;
    for (std::size_t m = 0; m < workers.size(); ++m) {
      const TimeNs exec_ns = context_.profiles[m]->latency(batches_[m]);
      plan.modules.push_back({workers[m], batches_[m], exec_ns, exec_ns});
    }
    return plan;
  }

  const ServingContext& context_;
  PipelineScalingParams params_;
  std::vector<int> batches_;
  WholePipelines pipelines_;
  std::vector<double> visits_;
  HoltForecast holt_;
  TimeNs start_up_ns_ = 0;
  bool is_running_ = false;
  int planned_ = 1;          ///< pipelines by the last forecast; before it only the queues ask for more
  double largest_rps_ = 0;   ///< largest rate of a window since the last forecast
  TimeNs forecast_ns_ = 0;   ///< time of the last forecast
  TimeNs corrected_ns_ = 0;  ///< no correction before this time: what the last one asked for starts
  NeedWindow needs_;         ///< recent needs, in pipelines
};

}  // namespace

double largest_rate_rps(const std::vector<TimeNs>& sent_ns, TimeNs from, TimeNs until, TimeNs window_ns) {
  std::ptrdiff_t most = 0;
  auto begin = std::lower_bound(sent_ns.begin(), sent_ns.end(), from);
  for (TimeNs at = from; at < until; at += window_ns) {
    const auto end = std::lower_bound(begin, sent_ns.end(), at + window_ns);
    most = std::max(most, end - begin);
    begin = end;
  }
  return static_cast<double>(most) / ns_to_s(window_ns);
}

std::unique_ptr<Planner> make_pipeline_scaling(const ServingContext& context,
                                               const PipelineScalingParams& params) {
  return std::make_unique<PipelineScaling>(context, params);
}

}  // namespace harness
