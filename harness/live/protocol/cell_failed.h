// A failure that ends one cell of an experiment and no other.
#pragma once

#include "harness/core/error.h"

namespace harness {

/// A device could not run a batch: on every rank the run is over, and the ranks can go on with the next.
class CellFailed : public EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

}  // namespace harness
