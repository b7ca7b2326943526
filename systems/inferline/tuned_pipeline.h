// What a tuner of InferLine is told of the plan (section 5, Initialization).
#pragma once

#include <vector>

#include "harness/core/types.h"
#include "systems/inferline/load_curve.h"
#include "systems/inferline/model_configuration.h"

namespace harness {

struct TunedModel;

/// A pipeline as the Planner describes it to a tuner.
struct TunedPipeline {
  Configuration planned;
  Configuration first;  ///< configuration to start with: `planned`, or what the cluster has room for
  std::vector<TunedModel> models;
  double rate_rps = 0;      ///< queries/s of the sample
  double capacity_rps = 0;  ///< queries/s that `planned` carries within the SLO, for AutoScale's rules
  TimeNs service_ns = 1;    ///< T_s: length of the shortest window
  LoadCurve load_curve;     ///< load curve of `planned`, for AutoScale's capacity inference
};

/// A model as the Planner describes it to a tuner (section 5, Initialization).
struct TunedModel {
  double scale = 1;        ///< s_m: scale factor
  double replica_rps = 1;  ///< mu_m: queries/s of one replica
  double utilisation = 1;  ///< rho_m: max-provisioning ratio
};

}  // namespace harness
