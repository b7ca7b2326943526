// Parameters of the system `triton`; README.md beside this file has their names in config.pbtxt.
#pragma once

#include <string>
#include <vector>

#include "harness/core/param_list.h"

namespace harness {

/// The treatment of a request that has waited longer than its timeout (ModelQueuePolicy.TimeoutAction).
enum class TimeoutAction { kReject, kDelay };

/// The defaults are Triton's for `dynamic_batching { }`.
struct TritonParams {
  bool dynamic_batching = true;
  int max_batch_size = 0;
  std::string preferred_batch_size = {};
  int max_queue_delay_us = 0;
  int max_queue_size = 0;
  int default_timeout_us = 0;
  TimeoutAction timeout_action = TimeoutAction::kReject;

  void list(ParamList& params);
  /// Returns the sizes in `preferred_batch_size` in ascending order, each once. Throws ParamError if the text
  /// is not a list of whole numbers from 1 on.
  std::vector<int> preferred_sizes() const;
};

}  // namespace harness
