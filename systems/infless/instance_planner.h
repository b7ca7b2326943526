// INFless's scaling, which decides every second how many instances of what kind each function has.
#pragma once

#include <memory>

#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/plan.h"

namespace harness {

/// The rule for the most cores that an instance may have (R).
enum class CoreRule {
  kBatch,  ///< at most one core for each request of its batch, but at least two: the authors' code
  kServer  ///< all cores that belong to its GPUs
};

/// The rule for the time that an instance stays when it is not needed.
enum class KeepAlive {
  kHistogram,  ///< from past idle times (IdleTimes); keep_alive_s while there have been no idle times
  kFixed       ///< always keep_alive_s
};

struct InflessParams {
  double period_s = 1;
  double alpha = 0.8;
  CoreRule cores = CoreRule::kBatch;
  KeepAlive keep_alive = KeepAlive::kHistogram;
  double keep_alive_s = 300;

  void list(ParamList& params);
};

/// Returns INFless's planner. Every module is a function; it has a share of its stream's SLO by the measured
/// execution time of one request.
///
/// All instances of a function are of one kind at a time. Once its rate has left the band of the present
/// instances, the kind becomes the one that the rate calls for, unless this kind is slower and the present
/// instances would then be too few. A function's rate is the rate of the arrivals there in the last period.
/// An instance to which no rate is dealt stays for the keep-alive time, and serves.
///
/// If there are too few GPUs, instances that have rates stay; then functions get more instances, the ones
/// with the least share of what they need first; then idle instances stay, in order of module. Every function
/// has at least one instance.
///
/// Throws InputError if a function cannot meet its share of the SLO or has no GPU. `context` must outlive it;
/// all modules must run in batches.
std::unique_ptr<Planner> make_instance_planner(const ServingContext& context, const InflessParams& params);

}  // namespace harness
