#include "systems/ds2/scaling_planner.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/routes.h"
#include "harness/serving/common_plans.h"

namespace harness {
namespace {

class ScalingPlanner final : public Planner {
 public:
  ScalingPlanner(const ServingContext& context, const ScalingParams& params)
      : context_(context), params_(params), visits_(visit_probabilities(*context.pipeline)) {
    for (ModuleId m = 0; m < visits_.size(); ++m) kinds_.push_back(fastest_kind(context, m));
    ignore(params_.warm_up_s);
  }

  Plan plan(TimeNs, const LoadStatistics& load, const Plan& current) override {
    if (current.modules.empty()) return first_plan(load);
    if (ignored_ > 0) {
      --ignored_;
      return current;
    }
    decisions_.push_back(fitting(parallelism(input_rates(load))));
    const auto considered = static_cast<std::size_t>(params_.activation);
    if (decisions_.size() < considered) return current;
    if (decisions_.size() > considered) decisions_.pop_front();
    const std::vector<int> wanted = median_decision();
    if (!is_worth_a_halt(current, wanted)) return current;
    decisions_.clear();
    Plan next = current;
    for (ModuleId m = 0; m < wanted.size(); ++m) next.modules[m].workers = wanted[m];
    ignore(params_.halt_s + params_.warm_up_s);
    return next;
  }

 private:
  Plan first_plan(const LoadStatistics& load) const {
    double source_rps = load.offered_rps;
    if (const PlanningTimes* const planning = context_.planning) {
      if (planning->sample.empty()) throw InputError("the sample of the load that ds2 plans by has no query");
      source_rps = static_cast<double>(planning->sample.size()) / ns_to_s(planning->sample_ns);
    }
    const std::vector<int> workers = fitting(parallelism(source_rates(source_rps)));
    Plan plan;
    for (ModuleId m = 0; m < workers.size(); ++m) {
      const TimeNs exec_ns = latency_ns(m);
      plan.modules.push_back({workers[m], 1, exec_ns, exec_ns, kinds_[m]});
    }
    return plan;
  }

  TimeNs latency_ns(ModuleId module) const { return context_.profile(module, kinds_[module]).latency(1); }

  std::vector<double> source_rates(double source_rps) const {
    std::vector<double> rates = visits_;
    for (double& rate : rates) rate *= source_rps;
    return rates;
  }

  std::vector<double> input_rates(const LoadStatistics& load) const {
    return params_.input_rate == InputRate::kSource ? source_rates(load.offered_rps) : load.module_rps;
  }

  std::vector<int> parallelism(const std::vector<double>& input_rps) const {
    constexpr double kMax = 1e9;
    std::vector<int> workers;
    for (ModuleId m = 0; m < input_rps.size(); ++m) {
      const double busy = input_rps[m] * ns_to_s(latency_ns(m));
      // 1e-9: a number that is meant to be whole must not cost one more by rounding errors.
      workers.push_back(
          static_cast<int>(std::clamp(std::ceil(busy * (1 + params_.margin) - 1e-9), 1.0, kMax)));
    }
    return workers;
  }

  /// Returns `wanted`, cut if the cluster has too few devices of a kind: the modules lose workers that lose
  /// the least share of what they want.
  std::vector<int> fitting(const std::vector<int>& wanted) const {
    std::vector<int> workers = wanted;
    const std::size_t kinds = std::max<std::size_t>(1, context_.devices.size());
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const int count = context_.devices.empty() ? context_.workers : context_.devices[kind].count;
      std::vector<ModuleId> here;
      for (ModuleId m = 0; m < workers.size(); ++m) {
        if (kinds_[m] == kind) here.push_back(m);
      }
      if (here.size() > static_cast<std::size_t>(count))
        throw InputError("ds2 needs a worker for each of " + std::to_string(here.size()) +
                         " modules, the cluster has " + std::to_string(count) + " of their kind");
      fit(here, count, wanted, workers);
    }
    return workers;
  }

  static void fit(const std::vector<ModuleId>& here, int count, const std::vector<int>& wanted,
                  std::vector<int>& workers) {
    double asked = 0;
    for (const ModuleId m : here) asked += wanted[m];
    if (asked <= count) return;
    int left = count;
    for (const ModuleId m : here) {
      workers[m] = std::max(1, static_cast<int>(std::ceil(wanted[m] * (count / asked))));
      left -= workers[m];
    }
    for (; left < 0; ++left) {
      const auto share_left = [&](ModuleId m) { return static_cast<double>(workers[m] - 1) / wanted[m]; };
      const ModuleId m = *std::max_element(
          here.begin(), here.end(), [&](ModuleId a, ModuleId b) { return share_left(a) < share_left(b); });
      --workers[m];
    }
  }

  /// Returns the median of the decisions, by module; with an even number of them, the larger of the two in
  /// the middle.
  std::vector<int> median_decision() const {
    std::vector<int> medians;
    for (ModuleId m = 0; m < kinds_.size(); ++m) {
      std::vector<int> of_module;
      for (const std::vector<int>& decision : decisions_) of_module.push_back(decision[m]);
      std::sort(of_module.begin(), of_module.end());
      medians.push_back(of_module[of_module.size() / 2]);
    }
    return fitting(medians);
  }

  bool is_worth_a_halt(const Plan& current, const std::vector<int>& wanted) const {
    for (ModuleId m = 0; m < wanted.size(); ++m) {
      const int more = wanted[m] - current.modules[m].workers;
      if (more > 0 || -more >= params_.least_decrease) return true;
    }
    return false;
  }

  void ignore(double seconds) { ignored_ = static_cast<int>(std::ceil(seconds / params_.period_s - 1e-9)); }

  const ServingContext& context_;
  ScalingParams params_;
  std::vector<double> visits_;              ///< visits of a request, by module
  std::vector<std::uint16_t> kinds_;        ///< kind of device of each module
  std::deque<std::vector<int>> decisions_;  ///< the last few decisions, each by module
  int ignored_ = 0;                         ///< number of coming intervals that will be ignored
};

}  // namespace

std::unique_ptr<Planner> make_scaling_planner(const ServingContext& context, const ScalingParams& params) {
  return std::make_unique<ScalingPlanner>(context, params);
}

}  // namespace harness
