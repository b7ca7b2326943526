// What reached one queue domain during a run, and what its scheduler decided: enough to repeat every
// decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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

/// The logs as one run of bytes, for a message.
std::vector<std::byte> serialised(std::span<const ReplayLog> logs);
/// Reads them back; no value when the bytes are not whole or of another version.
std::optional<std::vector<ReplayLog>> deserialised(std::span<const std::byte> bytes);

}  // namespace harness
