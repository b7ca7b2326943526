// Repeats what a queue's scheduler did from its log, and finds the place where two logs differ.
#pragma once

#include <optional>
#include <string>

#include "harness/engine/replay/replay_call.h"
#include "harness/record/run/replay_log.h"

namespace harness {

/// The numbers of things that have been compared.
struct ReplayCounts {
  std::uint64_t queues = 0;
  std::uint64_t callbacks = 0;
  std::uint64_t decisions = 0;  ///< number of decisions in the first (or only) log
};

/// The first place where a log and a scheduler, or two logs, differ.
struct ReplayDifference {
  QueueId queue = 0;
  GroupId group = 0;
  bool has_groups = false;  ///< true if the plan has groups; otherwise `group` is a module
  TimeNs at_ns = 0;
  std::uint64_t callback = 0;  ///< number of the callback in the queue, from 1
  std::string call;            ///< callback with its arguments
  /// Number of the decision in the callback, from 1; 0: the callback itself differs.
  std::uint64_t decision = 0;
  std::string before;  ///< recorded decision or callback, or the first log's
  std::string after;   ///< decision or callback that came out, or the second log's
};

/// Thrown if the bytes of a queue's log are not a log.
struct DamagedReplay {
  QueueId queue = 0;
};

/// Feeds the log's callbacks to `scheduler`, which is new and belongs to that queue, until a decision
/// differs. Returns no value if no decision differs. Throws DamagedReplay.
std::optional<ReplayDifference> replay(const ReplayLog& log, Scheduler& scheduler, ReplayCounts& counts);

/// Compares two queues' logs callback by callback: what reached them, then what was decided. Throws
/// DamagedReplay.
std::optional<ReplayDifference> first_difference(const ReplayLog& before, const ReplayLog& after,
                                                 ReplayCounts& counts);

}  // namespace harness
