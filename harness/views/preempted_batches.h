// The batches of a cell that were stopped before their end. Their visits waited again, so the rows of visits
// do not show them; the records of what reached the queues do.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/record/run/replay_log.h"

namespace harness {

struct PreemptedBatch {
  WorkerId worker = 0;
  ModuleId module = 0;
  TimeNs started_ns = 0;
  TimeNs ended_ns = 0;
  std::uint32_t visits = 0;
  std::vector<std::uint64_t> requests;  ///< requests of the visits that waited again, which had not ended
};

/// Returns the preempted batches of all queues, in the queues' order. Of a log of another version, or a
/// damaged one, it has the batches before the damage.
std::vector<PreemptedBatch> preempted_batches(const std::vector<ReplayLog>& logs);

}  // namespace harness
