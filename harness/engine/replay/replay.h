// Repeats what a queue's scheduler did from its log, and finds where two differ.
#pragma once

#include <optional>
#include <string>

#include "harness/engine/replay/replay_call.h"

namespace harness {

/// How much has been compared.
struct ReplayCounts {
  std::uint64_t queues = 0;
  std::uint64_t callbacks = 0;
  std::uint64_t decisions = 0;  ///< that the first (or only) log holds
};

/// The first place where a log and a scheduler, or two logs, differ.
struct ReplayDifference {
  QueueId queue = 0;
  GroupId group = 0;
  bool has_groups = false;  ///< the plan has; otherwise `group` is a module
  TimeNs at_ns = 0;
  std::uint64_t callback = 0;  ///< its number in the queue, from 1
  std::string call;            ///< that callback, with its arguments
  std::uint64_t decision = 0;  ///< its number in the callback, from 1; 0: the callback itself differs
  std::string before;          ///< what was recorded, or the first log's
  std::string after;           ///< what came out, or the second log's
};

/// What a log's bytes lack, when they are no log.
struct DamagedReplay {
  QueueId queue = 0;
};

/// Feeds the log's callbacks to `scheduler`, new and of that queue, until a decision differs. No value when
/// none does. Throws DamagedReplay.
std::optional<ReplayDifference> replay(const ReplayLog& log, Scheduler& scheduler, ReplayCounts& counts);

/// Compares two queues' logs callback by callback: what reached them, then what was decided. Throws
/// DamagedReplay.
std::optional<ReplayDifference> first_difference(const ReplayLog& before, const ReplayLog& after,
                                                 ReplayCounts& counts);

}  // namespace harness
