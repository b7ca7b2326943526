// INFless's scaling: how many instances of what kind each function has, second by second.
#pragma once

#include <memory>

#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

/// How many cores an instance may have (R).
enum class CoreRule {
  kBatch,  ///< at most one for each request of its batch, at least two: the authors' code
  kServer  ///< all that belong to its GPUs
};

/// How long an instance that is not needed stays.
enum class KeepAlive {
  kHistogram,  ///< by the idle times that were (IdleTimes), keep_alive_s while there are none
  kFixed       ///< keep_alive_s
};

struct InflessParams {
  double period_s = 1;
  double alpha = 0.8;
  CoreRule cores = CoreRule::kBatch;
  KeepAlive keep_alive = KeepAlive::kHistogram;
  double keep_alive_s = 300;

  void list(ParamList& params);
};

/// Every module is a function, with its share of its stream's SLO by the execution time of one request as
/// measured. All instances of a function are of one kind at a time: the one that its rate calls for, once the
/// rate has left the band of those that are there, unless these would then be too few. Its rate is what
/// arrived there in the last period. An instance to which no rate is dealt stays for the keep-alive time, and
/// serves. Where GPUs lack, instances that have rates stay, then functions get more, those with the least of
/// what they need first, then the idle ones stay in order of module. Every function has at least one
/// instance. Throws InputError where a function cannot meet its share or has no GPU. `context` outlives it;
/// all modules run in batches.
std::unique_ptr<Planner> make_instance_planner(const ServingContext& context, const InflessParams& params);

}  // namespace harness
