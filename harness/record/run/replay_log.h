// The log from which a queue's decisions are repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/archive.h"
#include "harness/core/types.h"

namespace harness {

/// The log of everything that reached one queue during a run, and of its scheduler's decisions: enough to
/// repeat every decision. `bytes` holds its callbacks with their decisions, in order, as
/// engine/replay/replay_code.h writes and reads them.
struct ReplayLog {
  QueueId queue = 0;
  std::uint16_t group = 0;  ///< the module, or the group of the plan, that the queue serves
  std::uint64_t callbacks = 0;
  std::uint64_t decisions = 0;
  std::vector<std::byte> bytes;

  bool operator==(const ReplayLog&) const = default;
};

template <class Way>
void code(Archive<Way>& archive, ReplayLog& log) {
  archive.value(log.queue);
  archive.value(log.group);
  archive.value(log.callbacks);
  archive.value(log.decisions);
  archive.bytes(log.bytes);
}

}  // namespace harness
