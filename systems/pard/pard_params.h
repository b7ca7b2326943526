// PARD's parameters. README.md explains each and says which are reconstructions.
#pragma once

#include "harness/core/params.h"

namespace harness {

/// Which visit a worker takes next (PARD sections 4.3 and 5.3).
enum class PardOrder { kAdaptive, kFcfs, kHbf, kLbf, kInstant };
/// What the estimate takes for the batch waits of later modules (PARD section 5.3).
enum class DownstreamWait { kQuantile, kZero, kSumD };
/// What of the later modules counts in the estimate (PARD section 5.3).
enum class EstimateScope { kFull, kBack, kSf };

struct PardParams {
  double lambda = 0.1;
  int wait_samples = 10'000;
  int wait_window = 10'000;
  double queueing_window_s = 5;
  double rate_window_s = 5;
  PardOrder order = PardOrder::kAdaptive;
  DownstreamWait downstream_wait = DownstreamWait::kQuantile;
  EstimateScope estimate = EstimateScope::kFull;

  void list(ParamList& params) {
    params.number(
        "lambda", lambda, 0, 1,
        "w_k is this quantile of the sum of the later modules' batch waits; 0: none, 1: the sum of their d "
        "(section 4.2)");
    params.integer("wait_samples", wait_samples, 1, 10'000'000,
                   "random samples of that sum per module, path and state period (section 4.2)");
    params.integer(
        "wait_window", wait_window, 1, 10'000'000,
        "a module's batch-wait distribution is that of so many most recent arrivals (section 4.2)");
    params.number("queueing_window_s", queueing_window_s, 0.001, 3600,
                  "window of the mean queueing delay, linearly weighted, newest most (section 4.2)");
    params.number("rate_window_s", rate_window_s, 0.001, 3600,
                  "window of the smoothed input rate and of the band eps (section 4.3; length R)");
    params.choice(
        "order", order, {"adaptive", "fcfs", "hbf", "lbf", "instant"},
        "order of the queue: adaptive, between hbf and lbf by load with a band; instant, without the band; "
        "hbf, lbf: high, low remaining budget first; fcfs: by arrival (section 5.3)");
    params.choice(
        "downstream_wait", downstream_wait, {"quantile", "zero", "sum_d"},
        "batch waits of later modules: the lambda-quantile; 0 (PARD-lower); the sum of d (PARD-upper)");
    params.choice("estimate", estimate, {"full", "back", "sf"},
                  "later modules: all parts; none (PARD-back); their executions only (PARD-sf)");
  }
};

}  // namespace harness
