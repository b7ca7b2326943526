// The room for visits that policies of batching_scheduler.h are offered.
#pragma once

#include "harness/core/types.h"

namespace harness {

/// A place in a forming batch that a policy may fill.
struct BatchSlot {
  WorkerId worker = 0;
  /// Expected start of the forming batch (PARD: t_e): the running batch's expected end, or now.
  TimeNs start_ns = 0;
  int joined = 0;  ///< number of visits that have joined the forming batch
  int room = 0;    ///< number of visits that may still join
};

}  // namespace harness
