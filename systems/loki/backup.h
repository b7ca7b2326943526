// A worker that has capacity left (section 5.1), and the choice of one to reroute to (section 5.2).
#pragma once

#include <cstdint>
#include <span>

#include "harness/core/random_stream.h"
#include "harness/core/types.h"

namespace harness {

/// An entry of a backup table.
struct Backup {
  std::uint32_t worker = 0;
  double leftover_rps = 0;
  double accuracy = 0;  ///< accuracy of its variant
  TimeNs exec_ns = 0;
};

/// Returns the place in `backups` of the worker to reroute to: the most accurate one, at random among equals,
/// that has leftover capacity and executes within `limit_ns`; kNone if there is no such worker.
std::uint32_t choose_backup(std::span<const Backup> backups, TimeNs limit_ns, RandomStream& random);

}  // namespace harness
