#include "systems/inferline/inferline.h"

#include <string>
#include <utility>

#include "harness/core/input_error.h"
#include "harness/core/param_error.h"
#include "harness/serving/batching_scheduler.h"
#include "harness/serving/fifo_policy.h"
#include "systems/inferline/autoscale_tuner.h"
#include "systems/inferline/coarse_plan.h"
#include "systems/inferline/early_dropping_policy.h"
#include "systems/inferline/envelope_tuner.h"
#include "systems/inferline/exact_plan.h"
#include "systems/inferline/foresight_tuner.h"
#include "systems/inferline/greedy_params.h"
#include "systems/inferline/greedy_planner.h"
#include "systems/inferline/served_models.h"
#include "systems/inferline/tuned_pipeline.h"
#include "systems/inferline/tuner.h"
#include "systems/inferline/tuning_params.h"

namespace harness {
namespace {

/// The planner to use.
enum class Plans { kGreedy, kOptimal, kOracle, kCoarseMean, kCoarsePeak };
/// The tuner to use.
enum class Tunes { kEnvelope, kAutoscale, kForesight, kNone };

/// The treatment of a plan for which the cluster has too few devices (R).
enum class TooSmall { kFail, kShrink };
/// The rule for dropping queries (beyond the paper, which drops nothing).
enum class Drops { kNone, kEstimatedLate };

struct InferLineParams {
  Plans plan = Plans::kGreedy;
  PathDraws paths = PathDraws::kRoute;
  TooSmall too_small = TooSmall::kFail;
  Tunes tuner = Tunes::kEnvelope;
  double period_ms = 1000;
  int max_simulations = 20'000;
  Drops early_dropping = Drops::kNone;
  GreedyParams planning;
  TuningParams tuning;

  void list(ParamList& params) {
    params.choice(
        "plan", plan, {"greedy", "optimal", "oracle", "coarse_mean", "coarse_peak"},
        "the Planner (section 4.3); the cheapest configuration; the Planner with the run itself as "
        "its sample (section 7.2); the pipeline as one unit, for the sample's mean rate or its peak "
        "(section 6)");
    params.choice("tuner", tuner, {"envelope", "autoscale", "foresight", "none"},
                  "the Tuner (section 5); AutoScale's rules over the pipeline as one unit (section 6); the "
                  "cheapest replicas by the arrivals as far ahead as a replica takes to start; none");
    params.number("period_ms", period_ms, 10, 1e6, "how often the tuner looks at the load (reconstruction)");
    params
        .integer("max_simulations", max_simulations, 1, 1'000'000'000,
                 "the search ends after so many simulations of one model with the cheapest "
                 "configuration that it knows")
        .only_with("plan", {"optimal"});
    params.choice(
        "estimator_paths", paths, {"route", "independent"},
        "where the sample's queries go: each its own route or fan-outs; or each choice by itself, with "
        "the measured share of those that go there (section 4.1: s_m; reconstruction)");
    params.choice(
        "too_small", too_small, {"fail", "shrink"},
        "a plan for which the cluster has too few devices: the cell cannot run; or each model starts "
        "with the same share of what it wants (reconstruction)");
    params.choice(
        "early_dropping", early_dropping, {"none", "estimated_late"},
        "beyond the paper, where nothing is dropped: estimated_late drops a query, before it joins a "
        "batch, that would be late if this batch and those behind it took as long as full ones");
    planning.list(params);
    tuning.list(params);
  }
};

/// Plans one pipeline by its sample, then tunes it: the cell's pipeline, or one of several independent ones.
class PipelinePlanner {
 public:
  /// `context` must outlive this.
  PipelinePlanner(const ServingContext& context, const InferLineParams& params, ModuleId entry)
      : params_(params), served_(context, entry), hardware_(served_.context()) {
    if (context.pipeline->independent) at_entry_ = " at " + context.pipeline->modules[entry].name;
  }

  const ServedModels& served() const { return served_; }
  /// Returns the plan as it should be, whatever devices the cluster has.
  const Configuration& planned() const { return planned_; }
  void plan() {
    const ServingContext& context = served_.context();
    const PlanningTimes& times = *context.planning;
    const bool is_oracle = params_.plan == Plans::kOracle;
    const std::vector<TimeNs>& sample = is_oracle ? times.run : times.sample;
    const TimeNs sample_ns = is_oracle ? times.run_ns : times.sample_ns;
    if (sample.empty())
      throw InputError("the sample of the load that inferline plans by has no query" + at_entry_);
    // The oracle's sample takes the routes of the run; any other sample takes the routes of another trace.
    const std::uint64_t seed = is_oracle ? context.seed : ~context.seed;
    const Pipeline& pipeline = *context.pipeline;
    Estimator estimator(pipeline, hardware_, sample, seed, params_.paths);
    GreedyPlanner planner(pipeline, hardware_, estimator, sample_ns, context.slo_ns, params_.planning);
    TunedPipeline tuned;
    tuned.rate_rps = planner.rate_rps();
    if (params_.plan == Plans::kCoarseMean || params_.plan == Plans::kCoarsePeak) {
      const double rate =
          params_.plan == Plans::kCoarseMean ? planner.rate_rps() : peak_rate_rps(sample, context.slo_ns);
      planned_ = coarse_plan(pipeline, hardware_, estimator, context.slo_ns, rate);
      if (params_.tuner == Tunes::kAutoscale)
        tuned.capacity_rps =
            planned_.front().replicas * unit_rate_within_slo_rps(pipeline, hardware_, sample, sample_ns, seed,
                                                                 planned_, context.slo_ns, params_.paths);
    } else {
      planned_ = params_.plan == Plans::kOptimal ? optimal_plan(pipeline, hardware_, estimator, planner,
                                                                context.slo_ns, params_.max_simulations)
                                                 : planner.plan();
      tuned.capacity_rps = planner.rate_rps();
    }
    tuned.planned = planned_;
    tuned.service_ns = hardware_.service_ns(planned_);
    for (ModuleId m = 0; m < planned_.size(); ++m)
      tuned.models.push_back({estimator.scale_factor(m), hardware_.replica_rps(m, planned_[m]),
                              planner.utilisation(planned_, m)});
    if (params_.tuner == Tunes::kAutoscale && params_.tuning.autoscale_signal == AutoscaleSignal::kInSystem)
      tuned.load_curve =
          measure_load_curve(pipeline, hardware_, sample, sample_ns, seed, planned_, params_.paths);
    tuned_ = std::move(tuned);
  }
  /// Called after plan() with the replicas with which the run is to start.
  void start(Configuration first) {
    const ServingContext& context = served_.context();
    const PlanningTimes& times = *context.planning;
    tuned_.first = std::move(first);
    const bool is_oracle = params_.plan == Plans::kOracle;
    if (params_.tuner == Tunes::kEnvelope)
      tuner_ = make_envelope_tuner(tuned_, params_.tuning, is_oracle ? times.run : times.sample,
                                   is_oracle ? times.run_ns : times.sample_ns);
    if (params_.tuner == Tunes::kAutoscale) tuner_ = make_autoscale_tuner(tuned_, params_.tuning);
    if (params_.tuner == Tunes::kForesight)
      tuner_ = make_foresight_tuner(context, hardware_, planned_, ms_to_ns(params_.period_ms));
  }

  /// Returns the replicas of each model from now on; `before` is what the plan in force has.
  std::vector<int> replicas(TimeNs now, const LoadStatistics& load, const std::vector<int>& before) {
    if (tuner_ == nullptr) return before;
    tuner_->on_requests_in_system(load.in_system);
    if (load.sent_streams.empty()) return tuner_->replicas(now, load.sent_ns, before);
    return tuner_->replicas(now, served_.own_times(load.sent_ns, load.sent_streams), before);
  }

 private:
  InferLineParams params_;
  ServedModels served_;
  Hardware hardware_;
  std::string at_entry_;  ///< place for messages; empty if there is one pipeline
  Configuration planned_;
  TunedPipeline tuned_;
  std::unique_ptr<Tuner> tuner_;
};

/// Plans each pipeline by itself and shares the cluster among them.
class InferLinePlanner final : public Planner {
 public:
  InferLinePlanner(const ServingContext& context, const InferLineParams& params)
      : context_(context), params_(params), served_(context), hardware_(served_.context()) {
    const std::vector<ModuleId> entries = entries_in(*context.pipeline);
    if (entries.size() > 1 && params.tuner == Tunes::kAutoscale &&
        params.tuning.autoscale_signal == AutoscaleSignal::kInSystem)
      throw ParamError({"", 0, "inferline.autoscale_signal"}, "\"in_system\" for several pipelines",
                       "\"rate\": inferline counts the requests of one pipeline, not of several");
    for (const ModuleId entry : entries)
      pipelines_.push_back(std::make_unique<PipelinePlanner>(context, params, entry));
  }

  Plan plan(TimeNs now, const LoadStatistics& load, const Plan& current) override {
    if (current.modules.empty()) return first_plan();
    if (params_.tuner == Tunes::kNone) return current;
    Plan next = current;
    std::vector<int> before(served_.size());
    for (std::size_t m = 0; m < served_.size(); ++m) before[m] = current.modules[served_.module(m)].workers;
    std::vector<int> after = before;
    for (const auto& one : pipelines_) {
      std::vector<int> own;
      for (std::size_t m = 0; m < one->served().size(); ++m) own.push_back(before[place_of(*one, m)]);
      own = one->replicas(now, load, own);
      for (std::size_t m = 0; m < own.size(); ++m) after[place_of(*one, m)] = own[m];
    }
    limit_to_cluster(hardware_, planned_, before, after);
    for (std::size_t m = 0; m < after.size(); ++m) next.modules[served_.module(m)].workers = after[m];
    return next;
  }

 private:
  /// Returns the place of a pipeline's model among all models. A single pipeline, as a tree always is, has
  /// all models itself; with several, all modules are models.
  std::size_t place_of(const PipelinePlanner& one, std::size_t model) const {
    return pipelines_.size() == 1 ? model : one.served().module(model);
  }

  Plan first_plan() {
    planned_.resize(served_.size());
    for (const auto& one : pipelines_) {
      one->plan();
      for (std::size_t m = 0; m < one->planned().size(); ++m) planned_[place_of(*one, m)] = one->planned()[m];
    }
    const Configuration first =
        params_.too_small == TooSmall::kShrink ? hardware_.shrunk(planned_) : planned_;
    hardware_.check_room_for(first);
    for (const auto& one : pipelines_) {
      Configuration own;
      for (std::size_t m = 0; m < one->planned().size(); ++m) own.push_back(first[place_of(*one, m)]);
      one->start(std::move(own));
    }
    const Plan plan = plan_of(first);
    return params_.tuner == Tunes::kForesight ? this->plan(0, {}, plan) : plan;
  }

  Plan plan_of(const Configuration& configuration) const {
    Plan plan;
    for (ModuleId m = 0; m < context_.pipeline->modules.size(); ++m) {  // other variants get no workers
      const std::uint16_t device = fastest_kind(context_, m);
      const TimeNs exec_ns = context_.profile(m, device).latency(1);
      plan.modules.push_back({0, 1, exec_ns, exec_ns, device});
    }
    for (ModuleId m = 0; m < configuration.size(); ++m) {
      const ModelConfiguration& model = configuration[m];
      const TimeNs exec_ns = hardware_.exec_ns(m, model);
      plan.modules[served_.module(m)] = {model.replicas, model.max_batch, exec_ns, exec_ns, model.device};
    }
    return plan;
  }

  const ServingContext& context_;
  InferLineParams params_;
  ServedModels served_;
  Hardware hardware_;
  std::vector<std::unique_ptr<PipelinePlanner>> pipelines_;
  Configuration planned_;
};

class InferLine final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }
  void list_serving(ParamList&) override {}
  SystemTraits traits() const override {
    return {.serves_streams = true,
            .serves_tasks = true,
            .wants_sample = true,
            .wants_foresight = params_.plan == Plans::kOracle || params_.tuner == Tunes::kForesight,
            .plans_devices = true,
            .plans_for_others = true};
  }
  /// Returns 0 if nothing is to be tuned, which also holds without a sample: in tests the shared planner then
  /// plans.
  TimeNs replan_period_ns(const ServingContext& context) const override {
    return context.planning == nullptr || params_.tuner == Tunes::kNone ? 0 : ms_to_ns(params_.period_ms);
  }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    if (context.planning == nullptr) return nullptr;
    return std::make_unique<InferLinePlanner>(context, params_);
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId, GroupId module) override {
    if (params_.early_dropping == Drops::kEstimatedLate)
      return std::make_unique<BatchingScheduler<EarlyDroppingPolicy>>(context, module, context, module);
    return std::make_unique<BatchingScheduler<FifoPolicy>>(context, module);
  }

 private:
  InferLineParams params_;
};

}  // namespace

std::unique_ptr<System> make_inferline() { return std::make_unique<InferLine>(); }

}  // namespace harness
