// The parameters of QUART's placement (section 6).
#pragma once

#include "harness/core/param_list.h"

namespace harness {

/// The stages whose parameters are kept.
enum class CachedStages { kNothing, kKeys, kAll };
/// The rule for the server on which an instance starts.
enum class ServerChoice { kQuart, kFirstFit };

struct PlacementParams {
  CachedStages cache = CachedStages::kKeys;
  ServerChoice placement = ServerChoice::kQuart;
  int roomy_gpus = 2;
  double kl_threshold = 0.001;

  void list(ParamList& params);
};

}  // namespace harness
