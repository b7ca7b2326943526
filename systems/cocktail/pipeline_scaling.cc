#include "systems/cocktail/pipeline_scaling.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/core/error.h"
#include "harness/core/routes.h"
#include "harness/serving/need_window.h"
#include "harness/serving/sizing_planner.h"
#include "systems/cocktail/holt_forecast.h"

namespace harness {
namespace {

/// Rounds up, except that a number meant to be whole does not cost one more by rounding errors.
double ceil_of(double value) { return std::ceil(value - 1e-9); }

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

void PipelineScalingParams::list(ParamList& params) {
  params.choice(
      "forecast", forecast, {"trend", "last", "foresight"},
      "the rate to provision for: Holt's linear smoothing of the sampled rates, in the place of "
      "Cocktail's trained network (reconstruction); the last one; or what the run really sends, for "
      "comparison");
  params.number("period_s", period_s, 0.1, 1e5,
                "a forecast is made so often, from the largest rate of a window since the last (authors' "
                "code: 60 s)");
  params.number("window_s", window_s, 0.1, 1e5,
                "rates are sampled, and queues looked at, so often (authors' code: 5 s)");
  params.number("headroom", headroom, 0.1, 100, "forecasts are multiplied by this (authors' code: 1.2)");
  params.number("level_gain", level_gain, 0.01, 1,
                "forecast = trend: weight of the newest rate in the level (reconstruction)");
  params.number("trend_gain", trend_gain, 0.01, 1,
                "forecast = trend: weight of the newest change in the trend (reconstruction)");
  params.flag("reactive", reactive,
              "queues that make the pipeline miss the SLO get it whole pipelines more (reconstruction)");
  params.number("scale_in_s", scale_in_s, 0, 1e5,
                "pipelines go when none was needed for this long (authors' code: six plans of 60 s)");
}

WholePipelines::WholePipelines(const ServingContext& context, const std::vector<int>& batches) {
  const std::vector<double> visits = visit_probabilities(*context.pipeline);
  for (std::size_t m = 0; m < batches.size(); ++m)
    work_s_.push_back(visits[m] / worker_rps(*context.profiles[m], batches[m]));
  slowest_ = static_cast<std::size_t>(std::ranges::max_element(work_s_) - work_s_.begin());
  const auto fits = [&](int pipelines) {
    const std::vector<int> each = workers(pipelines);
    int gpus = 0;
    for (std::size_t m = 0; m < each.size(); ++m) {
      const int of_instance = context.profiles[m]->gpus;
      if (each[m] > context.servers.instances(context.workers, of_instance)) return false;
      gpus += each[m] * of_instance;
    }
    return gpus <= context.workers;
  };
  while (fits(most_ + 1)) ++most_;
}

std::vector<int> WholePipelines::workers(int pipelines) const {
  std::vector<int> each;
  for (const double work_s : work_s_)
    each.push_back(static_cast<int>(std::max(1.0, ceil_of(pipelines * (work_s / work_s_[slowest_])))));
  return each;
}

int WholePipelines::holding(const std::vector<double>& busy) const {
  double most = 1;
  for (std::size_t m = 0; m < busy.size(); ++m) {
    if (work_s_[m] > 0) most = std::max(most, busy[m] * (work_s_[slowest_] / work_s_[m]));
  }
  return static_cast<int>(std::min<double>(most_, ceil_of(most)));
}

int WholePipelines::carrying(double rate_rps) const {
  return static_cast<int>(std::clamp<double>(ceil_of(rate_rps * work_s_[slowest_]), 1, most_));
}

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
