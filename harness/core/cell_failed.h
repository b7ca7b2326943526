// A failure that ends one cell of an experiment and no other.
#pragma once

#include "harness/core/environment_error.h"

namespace harness {

/// The cell's run cannot go on, on any rank, but the ranks can go on with the next cell: a device could not
/// run a batch, a simulation makes no progress or outgrows its limits. what() says why in a line.
class CellFailed : public EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

}  // namespace harness
