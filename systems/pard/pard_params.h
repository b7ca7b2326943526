// PARD's parameters. README.md explains each and says which are reconstructions.
#pragma once

#include "harness/core/param_list.h"

namespace harness {

/// The choice of the visit that a worker takes next (PARD sections 4.3 and 5.3).
enum class PardOrder { kAdaptive, kFcfs, kHbf, kLbf, kInstant };
/// The estimate's value for the batch waits of later modules (PARD section 5.3).
enum class DownstreamWait { kQuantile, kZero, kSumD };
/// The parts of the later modules' latency that count in the estimate; or the rule by which the SLO is split
/// instead (PARD section 5.3); or no estimate.
enum class EstimateScope { kFull, kBack, kSf, kSplit, kWcl, kOff };
/// The time that the budget of a split SLO limits: from the sending (cumulative), or from the arrival at the
/// module.
enum class SplitBudget { kCumulative, kPerModule };
/// The batch size for which d_k is taken (PARD section 4.2: "the current batch size").
enum class ExecutionSize { kPlanned, kAtHand };
/// The visits that have a worst-case latency for PARD-WCL.
enum class WclVisits { kStarted, kAll, kExpected };
/// The exchange from whose states L_sub is computed (PARD section 4.1).
enum class StateExchange { kFresh, kPrevious };
/// The rule for refusing requests as they arrive (PARD section 5.3).
enum class AdmissionRule { kOpen, kOverload, kFixed };

struct PardParams {
  double lambda = 0.1;
  int wait_samples = 10'000;
  int wait_window = 10'000;
  double queueing_window_s = 5;
  double rate_window_s = 5;
  StateExchange exchange = StateExchange::kFresh;
  PardOrder order = PardOrder::kAdaptive;
  DownstreamWait downstream_wait = DownstreamWait::kQuantile;
  EstimateScope estimate = EstimateScope::kFull;
  ExecutionSize execution = ExecutionSize::kPlanned;
  SplitBudget budget = SplitBudget::kPerModule;
  WclVisits wcl_visits = WclVisits::kExpected;
  double wcl_window_s = 5;
  double wcl_period_s = 1;
  AdmissionRule admission = AdmissionRule::kOpen;
  double overload_threshold_ms = 20;
  double overload_alpha = 0.05;
  double overload_recovery = 0.01;
  double overload_admitted = 0.5;

  bool splits() const { return estimate == EstimateScope::kSplit || estimate == EstimateScope::kWcl; }
  /// True if lifetimes count from the arrival at the module, not from the sending.
  bool counts_from_arrival() const { return splits() && budget == SplitBudget::kPerModule; }

  /// True if a dropped visit's latency in the module counts.
  bool counts_drops() const { return estimate == EstimateScope::kWcl && wcl_visits != WclVisits::kStarted; }

  void list(ParamList& params) {
    params.number(
        "lambda", lambda, 0, 1,
        "w_k is this quantile of the sum of the later modules' batch waits; 0: none, 1: the sum of their d "
        "(section 4.2)");
    params.integer("wait_samples", wait_samples, 1, 10'000'000,
                   "random samples of that sum per module, path and state period (section 4.2)");
    params.integer("wait_window", wait_window, 1, 10'000'000,
                   "a module's batch-wait distribution has so many most recent arrivals (section 4.2)");
    params.number("queueing_window_s", queueing_window_s, 0.001, 3600,
                  "window of the mean queueing delay, linearly weighted, newest most (section 4.2)");
    params.number("rate_window_s", rate_window_s, 0.001, 3600,
                  "window of the smoothed input rate and of the band eps (section 4.3; length R)");
    params
        .choice("exchange", exchange, {"fresh", "previous"},
                "L_sub and wcl's budgets are computed from the states of: fresh, the period that ends, as "
                "soon as all of them have arrived; previous, the period before (section 4.1; R)")
        .reading();
    params.choice(
        "order", order, {"adaptive", "fcfs", "hbf", "lbf", "instant"},
        "order of the queue: adaptive, between hbf and lbf by load with a band; instant, without the band; "
        "hbf, lbf: high, low remaining budget first; fcfs: by arrival (section 5.3)");
    params.choice(
        "downstream_wait", downstream_wait, {"quantile", "zero", "sum_d"},
        "batch waits of later modules: the lambda-quantile; 0 (PARD-lower); the sum of d (PARD-upper)");
    params.choice(
        "estimate", estimate, {"full", "back", "sf", "split", "wcl", "none"},
        "later modules: all parts; nothing (PARD-back); their executions only (PARD-sf). Or a budget per "
        "module instead: the plan's split of the SLO (PARD-split); by worst-case latency (PARD-WCL). none: "
        "no visit is dropped for being late");
    params
        .choice("execution", execution, {"planned", "at_hand"},
                "d_k, the own execution in the estimate: at the planned batch size; or at that of the batch "
                "at hand with the visit in it (section 4.2: the current batch size; R)")
        .reading();
    list_split(params);
    list_overload(params);
  }

 private:
  void list_split(ParamList& params) {
    params
        .choice("budget", budget, {"cumulative", "per_module"},
                "cumulative, time since sending against the sum of the budgets up to this module; "
                "per_module, time since arrival at this module against its own, nothing carried over "
                "(section 5.3)")
        .only_with("estimate", {"split", "wcl"});
    params
        .choice("wcl_visits", wcl_visits, {"started", "all", "expected"},
                "a module's worst-case latency is of the visits that started; visits that it "
                "dropped count too with their time in the module (all), or with the latency there that the "
                "estimate expected (R)")
        .only_with("estimate", {"wcl"});
    params
        .number("wcl_window_s", wcl_window_s, 0.001, 3600,
                "a module's worst-case latency is of so long (length R)")
        .only_with("estimate", {"wcl"});
    params
        .number("wcl_period_s", wcl_period_s, 0.001, 3600,
                "time between re-allocations of the budgets, in whole state periods (R)")
        .only_with("estimate", {"wcl"});
  }
  void list_overload(ParamList& params) {
    params.choice(
        "admission", admission, {"none", "overload", "fixed"},
        "modules refuse part of the requests on arrival while one of them or a later one is "
        "overloaded: a part that grows and shrinks (overload: DAGOR; PARD-oc with estimate = back), "
        "or always the same (fixed: section 5.3 to the letter)");
    params
        .number("overload_threshold_ms", overload_threshold_ms, 0, 1e6,
                "a module is overloaded when the mean queueing delay of a state period passes this "
                "(DAGOR: 20)")
        .only_with("admission", {"overload", "fixed"});
    params
        .number("overload_alpha", overload_alpha, 0, 1,
                "an overloaded module lowers the share that it admits by this part of it (DAGOR: "
                "0.05)")
        .only_with("admission", {"overload"});
    params
        .number("overload_recovery", overload_recovery, 0, 1,
                "otherwise it raises the share by this, up to 1 (DAGOR: 0.01)")
        .only_with("admission", {"overload"});
    params
        .number("overload_admitted", overload_admitted, 0, 1,
                "the share of the requests that an overloaded module admits (R)")
        .only_with("admission", {"fixed"});
  }
};

}  // namespace harness
