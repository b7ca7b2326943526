// A run with its rows, a tally of its events, and the replay of its logs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/engine/dispatch/initial_plan.h"
#include "harness/engine/replay/replay.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_world.h"

namespace harness::testing {

/// The record and the rows of a run; the rows are sorted by request.
struct Ran {
  explicit Ran(const RunSpec& spec) : record(simulate(spec, &rows)) {
    const auto by_request = [](const auto& a, const auto& b) { return a.request < b.request; };
    std::stable_sort(rows.request_rows.begin(), rows.request_rows.end(), by_request);
    std::stable_sort(rows.visit_rows.begin(), rows.visit_rows.end(), by_request);
  }
  /// Returns the times at which requests ended, in ms.
  std::vector<double> ends() const {
    std::vector<double> result;
    for (const RequestRow& row : rows.request_rows) result.push_back(ns_to_ms(row.end_ns));
    return result;
  }
  /// Returns the times at which visits started, in ms.
  std::vector<double> starts() const {
    std::vector<double> result;
    for (const VisitRow& row : rows.visit_rows) result.push_back(ns_to_ms(row.started_ns));
    return result;
  }
  const VisitRow& visit(std::uint64_t request, std::uint16_t module) const {
    for (const VisitRow& row : rows.visit_rows) {
      if (row.request == request && row.module == module) return row;
    }
    throw std::out_of_range("no such visit");
  }
  std::uint64_t dropped(ModuleId module, DropReason reason) const {
    return record.modules[module].dropped[static_cast<std::size_t>(reason)];
  }

  RowKeeper rows;
  RunRecord record;
};

/// The numbers of events in the cells of a suite, by name; dropped visits by the name of their reason.
using Tally = std::map<std::string, std::uint64_t>;

inline void add(const RunRecord& record, Tally& tally) {
  tally["sent"] += record.sent;
  tally["in_time"] += record.in_time;
  tally["completed"] += record.in_time + record.late;
  for (const ModuleTotals& module : record.modules) {
    tally["visits"] += module.arrived;
    tally["preempted"] += module.preempted;
    for (std::size_t i = 0; i < kDropReasons; ++i)
      tally[name_of(static_cast<DropReason>(i))] += module.dropped[i];
  }
  for (const WorkerTotals& worker : record.workers) {
    tally["workers_added"] += worker.ready_ns > 0 ? 1 : 0;
    tally["workers_removed"] += worker.removed_ns != kNever ? 1 : 0;
    tally["from_memory"] += worker.from_memory ? 1 : 0;
  }
}

/// Expects at least so many events of each name, lest laws hold only because nothing happened.
inline void expect_at_least(const Tally& least, Tally tally) {
  for (const auto& [what, count] : least) EXPECT_GE(tally[what], count) << what;
}

/// Expects schedulers of the cell's system to make the decisions of these logs again. Returns the numbers of
/// callbacks and decisions.
inline ReplayCounts expect_repeated(const RunSpec& spec, const std::vector<ReplayLog>& logs) {
  const RequestSizes sizes(spec.seed, spec.profiles, spec.trace_tokens);
  const ServingContext context = make_context(spec, &sizes);
  ReplayCounts counts;
  for (const ReplayLog& log : logs) {
    const auto scheduler = spec.system->make_scheduler(context, log.queue, log.group);
    const std::optional<ReplayDifference> difference = replay(log, *scheduler, counts);
    EXPECT_FALSE(difference.has_value()) << "queue " << log.queue << ", " << difference->call << ": "
                                         << difference->before << ", now " << difference->after;
  }
  return counts;
}

}  // namespace harness::testing
