// A model as FLEX gets it.
#pragma once

#include "harness/core/profile.h"
#include "harness/core/types.h"

namespace harness {

/// A model that FLEX serves.
struct FlexModel {
  ModuleId module = 0;
  const Profile* profile = nullptr;  ///< read in the constructor only
  int max_batch = 128;               ///< at most this many visits in a batch
};

}  // namespace harness
