// INFless's parameters.
#pragma once

#include "harness/core/param_list.h"

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

}  // namespace harness
