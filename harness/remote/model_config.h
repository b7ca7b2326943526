// The configuration of a model on a Triton server.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// The part that bears on batching, from GET /v2/models/M/config.
struct ModelConfig {
  struct InstanceGroup {
    std::string kind;  ///< KIND_GPU, KIND_CPU ...
    std::int64_t count = 0;
    std::vector<std::int64_t> gpus;
  };

  std::string name;
  std::int64_t max_batch_size = 0;                 ///< 0: the model takes no batches
  bool dynamic_batching = false;                   ///< true if the server joins requests to batches
  std::vector<std::int64_t> preferred_batch_size;  ///< sizes that dynamic batching prefers; empty: any
  std::int64_t max_queue_delay_us = 0;             ///< longest wait for a preferred size
  std::int64_t max_queue_size = 0;                 ///< requests that may wait; 0: any number
  std::int64_t default_timeout_us = 0;             ///< longest wait in the queue; 0: no limit
  std::string timeout_action = "REJECT";           ///< action after the timeout: REJECT or DELAY
  std::vector<InstanceGroup> instance_groups;

  /// Returns the number of instances on all devices: a group has `count` on each of its GPUs.
  std::int64_t instances() const {
    std::int64_t all = 0;
    for (const InstanceGroup& group : instance_groups)
      all += group.count * std::max<std::int64_t>(static_cast<std::int64_t>(group.gpus.size()), 1);
    return all;
  }
};

}  // namespace harness
