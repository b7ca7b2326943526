// The batches of a cell that were stopped before their end. Their visits waited again, so that the rows of
// visits know nothing of them; what reached the queues does.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/record/run/run_record.h"

namespace harness {

struct PreemptedBatch {
  WorkerId worker = 0;
  ModuleId module = 0;
  TimeNs started_ns = 0;
  TimeNs ended_ns = 0;
  std::uint32_t visits = 0;
  std::vector<std::uint64_t> requests;  ///< of the visits that waited again: all whose request had not ended
};

/// Of all queues, in their order. A log of another version, or a damaged one, has those before the damage.
std::vector<PreemptedBatch> preempted_batches(const std::vector<ReplayLog>& logs);

}  // namespace harness
