#include "systems/quart/quart_planner.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/param_error.h"
#include "harness/core/routes.h"
#include "systems/quart/corrector.h"
#include "systems/quart/cpu_compensator.h"
#include "systems/quart/quart_plan_details.h"
#include "systems/quart/smoother.h"

namespace harness {
namespace {

/// Sums over the gaps between arrivals; older gaps count less and less.
struct GapSums {
  double count = 0;
  double sum_s = 0;
  double squares_s2 = 0;

  void add(const ModuleStatistics& module, double kept) {
    count *= kept;
    sum_s *= kept;
    squares_s2 *= kept;
    if (module.gaps == 0) return;
    const auto gaps = static_cast<double>(module.gaps);
    const double mean_s = module.gap_ms * 1e-3;
    const double cv = module.arrival_cv >= 0 ? module.arrival_cv : 0;
    count += gaps;
    sum_s += gaps * mean_s;
    squares_s2 += gaps * mean_s * mean_s * (1 + cv * cv);
  }
  double variation() const {
    if (count < 2 || sum_s <= 0) return NAN;
    const double mean_s = sum_s / count;
    return std::sqrt(std::max(0.0, squares_s2 / count - mean_s * mean_s)) / mean_s;
  }
};

struct Stage {
  StageLoad load;
  double share = 0;  ///< visits per request that is sent
  ModuleId entry = 0;
  double share_of_entry = 1;  ///< visits per request that enters there
  double target_s = 0;
  double wait_s = NAN;
  double needed_rps = 0;  ///< rate that its replicas are calculated for
  GapSums gaps;
  int batch = 1;
  int cores = 0;  ///< cores of an instance; the profile's if the plan names no number
  std::size_t unit = 0;
  int replicas = 1;   ///< replicas in force
  int least = 1;      ///< replicas that the rate needs (r_min)
  int most = 1;       ///< replicas that the whole cluster has room for
  int corrected = 0;  ///< replicas that the Corrector wants; 0: it leaves the stage alone
  TimeNs key_until_ns = -1;
};

/// A group of stages that are scaled alike.
struct Unit {
  int gpus = 0;      ///< GPUs of one replica of all its stages
  int replicas = 0;  ///< replicas in force
  int least = 1;     ///< replicas that the rates of its stages need
  int wanted = 1;    ///< replicas wanted, at least `least`
  int next = 1;
  int lower_periods = 0;  ///< number of periods in a row in which fewer would do
  int highest = 0;        ///< most replicas that were wanted in these periods
  bool is_reduced = false;
  bool gives = false;  ///< true if it gives GPUs to units that lack them
};

int whole(double replicas) {
  return static_cast<int>(std::min(1e9, std::max(1.0, std::ceil(replicas - 1e-9))));
}

/// Returns CPU_max of an instance (section 5.3): the user's number, or the cores that are legal on every
/// server; 0: cores are not planned.
int most_cores(const ServingContext& context, const QuartParams& params, const Profile& profile) {
  const ServerShape& servers = context.servers;
  if (servers.gpus == 0 || servers.cores == 0) return params.cores_max;
  const int share = servers.cores / servers.gpus * profile.gpus;
  if (params.cores_max > share)
    throw ParamError({"", 0, "quart.cores_max"}, std::to_string(params.cores_max),
                     "at most the " + std::to_string(share) + " that a server has for an instance of '" +
                         profile.model + "'");
  return params.cores_max > 0 ? params.cores_max : share;
}

std::vector<CpuCompensator> make_compensators(const ServingContext& context, const QuartParams& params) {
  std::vector<CpuCompensator> result;
  const bool has_limit = params.cores_max > 0 || context.servers.cores > 0;
  bool fits = params.cores != Cores::kOff;
  for (const Profile* profile : context.profiles) {
    if (params.cores == Cores::kOn && !has_limit)
      throw ParamError({"", 0, "quart.cores"}, "on without a limit", "cores_max, or cluster.server_cores");
    const int most = params.cores == Cores::kOff ? 0 : most_cores(context, params, *profile);
    fits = fits && (context.servers.cores == 0 || profile->cores <= most);
    const int batch = std::min(params.max_batch, profile->max_batch());
    result.emplace_back(*profile, batch, most);
  }
  // Instances that take more than their share would leave less to others.
  if (!fits) result.clear();
  return result;
}

class QuartPlanner final : public Planner {
 public:
  QuartPlanner(const ServingContext& context, const QuartParams& params)
      : context_(context),
        params_(params),
        period_s_(params.period_ms * 1e-3),
        stages_(context.profiles.size()),
        features_(stages_.size()),
        cv_(stages_.size(), 1),
        demands_(stages_.size(), 1),
        smoothed_(stages_.size(), 1),
        corrector_(params.corrector, stages_.size()),
        predictor_(*context.pipeline, params.cv, params.service_cv),
        smoother_(*context.pipeline, params.beta_half),
        compensators_(make_compensators(context, params)) {
    const std::vector<ModuleId> entries = entries_of(*context.pipeline);
    for (std::size_t m = 0; m < stages_.size(); ++m) stages_[m].entry = entries[m];
    make_units();
    for (std::size_t m = 0; m < stages_.size(); ++m) {
      const Profile& profile = *context.profiles[m];
      stages_[m].batch = std::min(params.max_batch, profile.max_batch());
      stages_[m].most = std::clamp(context.workers / units_[stages_[m].unit].gpus, 1,
                                   std::max(1, context.servers.instances(context.workers, profile.gpus)));
      set_cores(m, profile.cores);
    }
    set_targets();
  }

  Plan plan(TimeNs now, const LoadStatistics& load, const Plan& current) override {
    if (current.modules.empty()) return first_plan(load);
    observe(load, current);
    correct(now);
    smooth();
    reclaim();
    compensate();
    grant();
    Plan next = current;
    for (std::size_t m = 0; m < stages_.size(); ++m) {
      Stage& stage = stages_[m];
      next.modules[m].workers = units_[stage.unit].next;
      next.modules[m].cores = stage.cores > context_.profiles[m]->cores ? stage.cores : 0;
    }
    note_keys(now, next);
    return next;
  }

 private:
  void make_units() {
    std::vector<std::size_t> unit_of(stages_.size(), stages_.size());
    for (std::size_t m = 0; m < stages_.size(); ++m) {
      const std::size_t of = params_.unit == ScaledUnit::kStage ? m : stages_[m].entry;
      if (unit_of[of] == stages_.size()) {
        unit_of[of] = units_.size();
        units_.emplace_back();
      }
      stages_[m].unit = unit_of[of];
      units_[stages_[m].unit].gpus += context_.profiles[m]->gpus;
    }
    order_.resize(units_.size());
  }

  void set_cores(std::size_t m, int cores) {
    Stage& stage = stages_[m];
    stage.cores = cores;
    stage.load.exec_s = ns_to_s(latency_with_cores(*context_.profiles[m], stage.batch, cores));
    stage.load.replica_rps = stage.batch / stage.load.exec_s;
  }

  /// Divides the SLO over the stages of the longest path through each, by their execution times.
  void set_targets() {
    std::vector<double> exec_s;
    for (const Stage& stage : stages_) exec_s.push_back(stage.load.exec_s);
    const std::vector<double> before = longest_before(*context_.pipeline, exec_s);
    const std::vector<double> after = longest_after(*context_.pipeline, exec_s);
    for (std::size_t m = 0; m < stages_.size(); ++m) {
      const double slo_s = ns_to_s(context_.slo_of_entry(stages_[m].entry));
      const double target_s =
          params_.corrector.target_share * slo_s * exec_s[m] / (before[m] + exec_s[m] + after[m]);
      stages_[m].target_s = std::max(target_s, params_.corrector.least_target * exec_s[m]);
    }
  }

  Plan first_plan(const LoadStatistics& load) {
    std::vector<double> rates = load.module_rps;
    if (rates.empty()) {
      rates = visit_probabilities(*context_.pipeline);
      for (double& rate : rates) rate *= load.offered_rps;
    }
    int gpus = 0;
    for (Unit& unit : units_) gpus += unit.gpus;
    if (gpus > context_.workers)
      throw InputError("quart needs " + std::to_string(gpus) + " GPUs for one instance of each stage, the " +
                       "cluster has " + std::to_string(context_.workers));
    for (std::size_t m = 0; m < stages_.size(); ++m) {
      stages_[m].load.rate_rps = rates[m];
      stages_[m].share = load.offered_rps > 0 ? rates[m] / load.offered_rps : 0;
      const double entering = rates[stages_[m].entry];
      stages_[m].share_of_entry = entering > 0 ? rates[m] / entering : 1;
      Unit& unit = units_[stages_[m].unit];
      unit.wanted = std::max(unit.wanted, rate_needs(stages_[m], rates[m]));
    }
    share_out(&Unit::wanted, context_.workers - gpus);
    Plan plan;
    for (std::size_t m = 0; m < stages_.size(); ++m) {
      const TimeNs exec_ns = context_.profiles[m]->latency(stages_[m].batch);
      plan.modules.push_back(
          {units_[stages_[m].unit].next, stages_[m].batch, exec_ns, s_to_ns(stages_[m].target_s)});
    }
    return plan;
  }

  /// Gives one replica after the other to the unit that has the least share of its goal. Returns the GPUs
  /// that are left.
  std::int64_t share_out(int Unit::*goal, std::int64_t free_gpus) {
    const auto has_more = [this, goal](std::uint32_t a, std::uint32_t b) {
      const std::int64_t first = std::int64_t{units_[a].next} * (units_[b].*goal);
      const std::int64_t second = std::int64_t{units_[b].next} * (units_[a].*goal);
      return first != second ? first > second : a > b;
    };
    order_.clear();
    for (std::uint32_t i = 0; i < units_.size(); ++i)
      if (units_[i].next < units_[i].*goal) order_.push_back(i);
    std::make_heap(order_.begin(), order_.end(), has_more);
    while (!order_.empty()) {
      std::pop_heap(order_.begin(), order_.end(), has_more);
      Unit& unit = units_[order_.back()];
      if (unit.gpus <= free_gpus) {
        ++unit.next;
        free_gpus -= unit.gpus;
      }
      if (unit.gpus > free_gpus || unit.next == unit.*goal)
        order_.pop_back();
      else
        std::push_heap(order_.begin(), order_.end(), has_more);
    }
    return free_gpus;
  }

  int rate_needs(const Stage& stage, double rate_rps) const {
    return std::min(stage.most, whole(rate_rps / stage.load.replica_rps / params_.max_utilisation));
  }

  void observe(const LoadStatistics& load, const Plan& current) {
    const double newest = std::min(1.0, period_s_ / params_.window_s);
    const double kept = std::max(0.0, 1 - period_s_ / params_.cv_window_s);
    for (std::size_t m = 0; m < stages_.size(); ++m) {
      Stage& stage = stages_[m];
      if (m < load.module_rps.size())
        stage.load.rate_rps += newest * (std::max(0.0, load.module_rps[m]) - stage.load.rate_rps);
      if (m < load.modules.size()) {
        const ModuleStatistics& module = load.modules[m];
        stage.load.present = static_cast<double>(module.present);
        stage.wait_s = module.wait_ms * 1e-3;
        stage.gaps.add(module, kept);
      }
      stage.replicas = std::max(1, current.modules[m].workers);
      features_[m] = {stage.load.rate_rps, 1 / stage.load.replica_rps, stage.replicas,
                      stage.gaps.variation()};
    }
    for (Stage& stage : stages_) {
      const double entering = stage.share_of_entry * stages_[stage.entry].load.rate_rps;
      stage.needed_rps =
          params_.qps == Qps::kStage ? stage.load.rate_rps : std::max(stage.load.rate_rps, entering);
      stage.least = rate_needs(stage, stage.needed_rps);
    }
  }

  void correct(TimeNs now) {
    const bool foresees =
        params_.corrector.corrector == CorrectorMethod::kForesight && context_.planning != nullptr;
    for (std::size_t m = 0; m < stages_.size(); ++m) {
      Stage& stage = stages_[m];
      StageLoad load = stage.load;
      if (foresees) {
        const TimeNs until_ns = now + context_.activation_ns[m] + s_to_ns(period_s_);
        load.rate_rps = std::max(load.rate_rps, stage.share * foreseen_rps(now, until_ns));
      }
      stage.corrected =
          corrector_.correct(m, load, stage.wait_s, stage.target_s, stage.replicas, stage.least, stage.most);
    }
  }

  /// Returns the largest rate of the windows that begin in [now, until], one each period.
  double foreseen_rps(TimeNs now, TimeNs until_ns) {
    if (foreseen_from_ns_ == now && foreseen_until_ns_ == until_ns) return foreseen_rps_;
    const std::vector<TimeNs>& run = context_.planning->run;
    const TimeNs window_ns = s_to_ns(params_.window_s);
    std::ptrdiff_t most = 0;
    for (TimeNs at = now; at <= until_ns; at += s_to_ns(period_s_)) {
      const auto first = std::lower_bound(run.begin(), run.end(), at);
      most = std::max(most, std::lower_bound(first, run.end(), at + window_ns) - first);
    }
    foreseen_from_ns_ = now;
    foreseen_until_ns_ = until_ns;
    foreseen_rps_ = static_cast<double>(most) / params_.window_s;
    return foreseen_rps_;
  }

  /// Runs Smooth of Algorithm 1: finds what each stage wants.
  void smooth() {
    if (params_.smoother) {
      predictor_.predict(features_, cv_);
      for (std::size_t m = 0; m < stages_.size(); ++m) {
        const Stage& stage = stages_[m];
        const double variability = (cv_[m] * cv_[m] + params_.service_cv * params_.service_cv) / 2;
        StageLoad load = stage.load;
        load.rate_rps = stage.needed_rps;
        demands_[m] = std::max(
            stage.least,
            acts(stage) ? stage.corrected : replicas_within(load, stage.target_s, variability, stage.most));
      }
      if (params_.unit == ScaledUnit::kStage)
        smoother_.smooth(demands_, cv_, smoothed_);
      else
        smoothed_ = demands_;
    }
    for (Unit& unit : units_) {
      unit.least = unit.wanted = 1;
      unit.replicas = std::numeric_limits<int>::max();
    }
    for (std::size_t m = 0; m < stages_.size(); ++m) {
      const Stage& stage = stages_[m];
      Unit& unit = units_[stage.unit];
      const int own = params_.smoother ? whole(smoothed_[m]) : std::max(stage.replicas, stage.corrected);
      unit.least = std::max(unit.least, stage.least);
      unit.wanted = std::max({unit.wanted, own, unit.least});
      unit.replicas = std::min(unit.replicas, stage.replicas);
    }
  }

  /// True if the stage is late, which makes it a key stage: its delay, not only its rate, needs more
  /// replicas.
  static bool is_late(const Stage& stage) { return stage.corrected > std::max(stage.replicas, stage.least); }
  static bool acts(const Stage& stage) { return stage.corrected > stage.replicas; }

  /// Reduces a unit to the most replicas that it wanted while it wanted fewer than it has; then the next such
  /// time begins. If other units lack GPUs, it gives as many as they lack, whatever reclaim_step is.
  void reclaim() {
    const double periods = std::floor(params_.reclaim_after_s / period_s_ + 0.5);
    std::int64_t lacking = -context_.workers;
    for (const Unit& unit : units_) lacking += std::int64_t{std::max(unit.wanted, unit.replicas)} * unit.gpus;
    for (Unit& unit : units_) {
      unit.next = unit.replicas;
      unit.is_reduced = unit.gives = false;
      if (unit.wanted >= unit.replicas) {
        unit.lower_periods = unit.highest = 0;
        continue;
      }
      unit.highest = std::max(unit.highest, unit.wanted);
      if (++unit.lower_periods <= periods) continue;
      const std::int64_t asked_for = lacking > 0 ? (lacking - 1) / unit.gpus + 1 : 0;
      const std::int64_t most = std::max<std::int64_t>(params_.reclaim_step, asked_for);
      unit.next = std::max(unit.highest, static_cast<int>(std::max<std::int64_t>(1, unit.replicas - most)));
      unit.is_reduced = unit.next < unit.replicas;
      unit.gives = lacking > 0 && unit.is_reduced;
      lacking -= std::int64_t{unit.replicas - unit.next} * unit.gpus;
      if (unit.next == unit.highest) unit.lower_periods = unit.highest = 0;
    }
  }

  /// Runs AllocateCPU of Algorithm 1 for the stages that have lost a replica, now or before.
  void compensate() {
    for (std::size_t m = 0; m < compensators_.size(); ++m) {
      const CpuCompensator& compensator = compensators_[m];
      Stage& stage = stages_[m];
      Unit& unit = units_[stage.unit];
      if (!compensator.has_effect() || !(unit.is_reduced || stage.cores > compensator.measured())) continue;
      const CoreChoice choice =
          compensator.allocate(params_.corrector.delay, stage.load, unit.next, stage.cores, stage.target_s);
      if (!choice.enough && unit.is_reduced && !unit.gives) {
        ++unit.next;
        unit.is_reduced = false;
      } else if (choice.cores != stage.cores) {
        set_cores(m, choice.cores);
      }
    }
  }

  /// Shares out R_total: first what the rates need, then the rest.
  void grant() {
    std::int64_t free_gpus = context_.workers;
    for (const Unit& unit : units_) free_gpus -= std::int64_t{unit.next} * unit.gpus;
    share_out(&Unit::wanted, share_out(&Unit::least, free_gpus));
  }

  void note_keys(TimeNs now, Plan& next) {
    const bool corrects = params_.corrector.corrector != CorrectorMethod::kRateOnly;
    const TimeNs key_ns = s_to_ns(params_.corrector.key_s);
    bool changes = details_ == nullptr;
    for (std::size_t m = 0; m < stages_.size(); ++m) {
      Stage& stage = stages_[m];
      if (corrects && is_late(stage) && next.modules[m].workers > stage.replicas)
        stage.key_until_ns = key_ns == 0 ? kNever : now + key_ns;
      changes = changes || is_key(stage, now) != (details_->is_key[m] != 0);
    }
    if (changes) {
      auto details = std::make_shared<QuartPlanDetails>();
      for (const Stage& stage : stages_) details->is_key.push_back(is_key(stage, now) ? 1 : 0);
      details_ = std::move(details);
    }
    next.details = details_;
  }

  static bool is_key(const Stage& stage, TimeNs now) { return now < stage.key_until_ns; }

  const ServingContext& context_;
  QuartParams params_;
  double period_s_;
  std::vector<Stage> stages_;
  std::vector<Unit> units_;
  std::vector<std::uint32_t> order_;     ///< units as a heap of share_out()
  std::vector<StageFeatures> features_;  ///< features by module; the next three are by module, too
  std::vector<double> cv_;
  std::vector<double> demands_;
  std::vector<double> smoothed_;
  Corrector corrector_;
  CvPredictor predictor_;
  Smoother smoother_;
  std::vector<CpuCompensator> compensators_;  ///< compensators by module; empty: no cores are planned
  std::shared_ptr<const QuartPlanDetails> details_;
  TimeNs foreseen_from_ns_ = -1;
  TimeNs foreseen_until_ns_ = -1;
  double foreseen_rps_ = 0;
};

}  // namespace

std::unique_ptr<Planner> make_quart_planner(const ServingContext& context, const QuartParams& params) {
  return std::make_unique<QuartPlanner>(context, params);
}

}  // namespace harness
