// What workers that serve several modules can complete in the time that they have together.
#pragma once

#include <cstdint>
#include <span>

#include "harness/engine/run_spec.h"

namespace harness {

/// Requests that can be completed at most by `last_due_ns`, by entry no more than `most`, when each takes
/// the least GPU time of its modules (over b <= cap of d(b) / b with d(b) within the run's SLO) and workers
/// work from when they are ready until they are removed: those that take least first. Without limit where
/// each worker serves one module, where modules choose branches, with jitter, and with services other than
/// batches: the fluid servers then say all.
std::uint64_t shared_time_bound(const RunSpec& spec, const RunRecord& record,
                                std::span<const std::uint64_t> most, TimeNs last_due_ns);

}  // namespace harness
