// The counters of a model on a Triton server.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// The work of all versions of a model since the server started, from GET /v2/models/M/stats.
struct ModelStatistics {
  /// Number of requests that went through a step, and the time that all of them took.
  struct Sum {
    std::int64_t count = 0;
    TimeNs total_ns = 0;
  };

  std::int64_t inference_count = 0;  ///< number of inferences; a batch of 4 counts 4
  std::int64_t execution_count = 0;  ///< number of batches that ran
  Sum queue;                         ///< waiting for a batch and an instance
  Sum compute;                       ///< copying of the input, inference, and copying of the output
};

}  // namespace harness
