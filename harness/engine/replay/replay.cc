#include "harness/engine/replay/replay.h"

#include <algorithm>

#include "harness/engine/replay/replay_code.h"

namespace harness {
namespace {

/// Returns the first of the callback's decisions that differs.
std::optional<ReplayDifference> differing_decision(const ReplayCall& call, const Decisions& before,
                                                   const Decisions& after) {
  const std::size_t most = std::max(before.list().size(), after.list().size());
  for (std::size_t i = 0; i < most; ++i) {
    if (same_decision(before, after, i)) continue;
    ReplayDifference difference;
    difference.at_ns = call.now;
    difference.call = text_of(call);
    difference.decision = i + 1;
    difference.before = decision_text(before, i);
    difference.after = decision_text(after, i);
    return difference;
  }
  return std::nullopt;
}

/// Describes a callback that only one log has, or that differs between the logs.
ReplayDifference differing_call(const ReplayCall* before, const ReplayCall* after) {
  ReplayDifference difference;
  difference.at_ns =
      std::min(before == nullptr ? kNever : before->now, after == nullptr ? kNever : after->now);
  difference.call = name_of((before == nullptr ? after : before)->kind);
  const auto text = [](const ReplayCall* call) {
    return call == nullptr ? std::string("nothing") : text_of(*call) + " at " + time_text(call->now);
  };
  difference.before = text(before);
  difference.after = text(after);
  return difference;
}

ReplayDifference placed(ReplayDifference difference, const ReplayLog& log, bool has_groups,
                        std::uint64_t callback) {
  difference.has_groups = has_groups;
  difference.queue = log.queue;
  difference.group = log.group;
  difference.callback = callback;
  return difference;
}

void require_whole(const ReplayReader& reader, const ReplayLog& log) {
  if (reader.damaged()) throw DamagedReplay{log.queue};
}

/// True if the plan has groups; throws if the log's group is not in the plan.
bool has_groups(const ReplayCall& plan, const ReplayLog& log) {
  if (log.group >= plan.plan.group_count()) throw DamagedReplay{log.queue};
  return !plan.plan.groups.empty();
}

}  // namespace

std::optional<ReplayDifference> replay(const ReplayLog& log, Scheduler& scheduler, ReplayCounts& counts) {
  ++counts.queues;
  ReplayReader reader(log);
  ReplayCall call;
  Decisions recorded;
  Decisions out;
  bool groups = false;
  for (std::uint64_t callback = 1; reader.next(call, recorded); ++callback) {
    if (call.kind == ReplayCall::Kind::kPlan) groups = has_groups(call, log);
    out.clear();
    deliver(call, scheduler, out);
    ++counts.callbacks;
    counts.decisions += recorded.list().size();
    if (auto difference = differing_decision(call, recorded, out))
      return placed(std::move(*difference), log, groups, callback);
  }
  require_whole(reader, log);
  return std::nullopt;
}

std::optional<ReplayDifference> first_difference(const ReplayLog& before, const ReplayLog& after,
                                                 ReplayCounts& counts) {
  ++counts.queues;
  ReplayReader readers[] = {ReplayReader(before), ReplayReader(after)};
  ReplayCall calls[2];
  Decisions decisions[2];
  bool groups = false;
  for (std::uint64_t callback = 1;; ++callback) {
    const bool more[] = {readers[0].next(calls[0], decisions[0]), readers[1].next(calls[1], decisions[1])};
    require_whole(readers[0], before);
    require_whole(readers[1], after);
    if (!more[0] && !more[1]) return std::nullopt;
    if (more[0] && calls[0].kind == ReplayCall::Kind::kPlan) groups = has_groups(calls[0], before);
    if (more[0] != more[1] || !same_call(calls[0], calls[1])) {
      return placed(differing_call(more[0] ? &calls[0] : nullptr, more[1] ? &calls[1] : nullptr), before,
                    groups, callback);
    }
    ++counts.callbacks;
    counts.decisions += decisions[0].list().size();
    if (auto difference = differing_decision(calls[0], decisions[0], decisions[1]))
      return placed(std::move(*difference), before, groups, callback);
  }
}

}  // namespace harness
