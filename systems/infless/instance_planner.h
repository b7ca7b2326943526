// INFless's scaling, which decides every second how many instances of what kind each function has.
#pragma once

#include <memory>

#include "harness/serving/planner.h"
#include "harness/serving/serving_context.h"
#include "systems/infless/infless_params.h"

namespace harness {

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
