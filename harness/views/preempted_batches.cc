#include "harness/views/preempted_batches.h"

#include "harness/engine/replay/replay_call.h"
#include "harness/engine/replay/replay_code.h"

namespace harness {

std::vector<PreemptedBatch> preempted_batches(const std::vector<ReplayLog>& logs) {
  std::vector<PreemptedBatch> batches;
  ReplayCall call;
  Decisions decisions;
  for (const ReplayLog& log : logs) {
    ReplayReader reader(log);
    while (reader.next(call, decisions)) {
      if (call.kind != ReplayCall::Kind::kBatchPreempted) continue;
      PreemptedBatch& batch = batches.emplace_back();
      batch.worker = call.worker;
      batch.module = call.module;
      batch.started_ns = call.started_ns;
      batch.ended_ns = call.ended_ns;
      batch.visits = static_cast<std::uint32_t>(call.visits.size());
      for (const Visit& visit : call.lost) batch.requests.push_back(visit.request);
    }
  }
  return batches;
}

}  // namespace harness
