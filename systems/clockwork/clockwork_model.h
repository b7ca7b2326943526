// A model as Clockwork's controller gets it.
#pragma once

#include "harness/core/profile.h"
#include "harness/core/types.h"

namespace harness {

/// A model that Clockwork serves.
struct ClockworkModel {
  ModuleId module = 0;
  const Profile* profile = nullptr;  ///< read in the constructor only
  int max_batch = 16;                ///< at most this many visits in a batch
};

}  // namespace harness
