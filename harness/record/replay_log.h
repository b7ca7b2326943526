// What reached one queue domain during a run, and what its scheduler decided: enough to repeat every
// decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/archive.h"
#include "harness/core/types.h"

namespace harness {

/// The log of one queue domain. `bytes` holds its callbacks with their decisions, in order, as
/// engine/replay_code.h writes and reads them.
struct ReplayLog {
  DomainId domain = 0;
  std::uint16_t group = 0;  ///< the module, or the group of the plan, that it serves
  std::uint64_t callbacks = 0;
  std::uint64_t decisions = 0;
  std::vector<std::byte> bytes;

  bool operator==(const ReplayLog&) const = default;
};

template <class Way>
void code(Archive<Way>& archive, ReplayLog& log) {
  archive.value(log.domain);
  archive.value(log.group);
  archive.value(log.callbacks);
  archive.value(log.decisions);
  archive.bytes(log.bytes);
}

}  // namespace harness
