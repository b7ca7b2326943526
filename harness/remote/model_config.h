// The configuration of a model on a Triton server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// The part that bears on batching, from GET /v2/models/M/config.
struct ModelConfig {
  std::int64_t max_batch_size = 0;                 ///< 0: the model takes no batches
  bool dynamic_batching = false;                   ///< true if the server joins requests to batches
  std::vector<std::int64_t> preferred_batch_size;  ///< sizes that dynamic batching prefers; empty: any
  std::int64_t max_queue_delay_us = 0;             ///< longest wait for a preferred size
  std::int64_t max_queue_size = 0;                 ///< requests that may wait; 0: any number
  std::int64_t default_timeout_us = 0;             ///< longest wait in the queue; 0: no limit
  std::string timeout_action = "REJECT";           ///< action after the timeout: REJECT or DELAY
  std::int64_t instances = 0;                      ///< number of instances on all devices
};

}  // namespace harness
