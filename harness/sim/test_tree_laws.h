// Laws of runs of task trees: the relations between rows and counts of paths, visits and accuracies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/sim/test_run.h"

namespace harness::testing {

/// The paths of a request according to its rows. A path ends with a visit that is no other visit's parent.
struct Paths {
  std::uint64_t served = 0, late = 0, lost = 0;
  std::uint64_t unsure = 0;  ///< paths whose last visit ended as the request was dropped, maybe before it
  double accuracy = 0;
};

/// Returns the paths of one request; `visits` has its rows by index of the visit in the request.
inline Paths paths_of(const std::vector<VisitRow>& visits, const Pipeline& pipeline,
                      const RequestRow& request) {
  std::vector<bool> is_parent(visits.size(), false);
  for (const VisitRow& row : visits) {
    if (row.visit > 0) is_parent[row.parent] = true;
  }
  Paths paths;
  for (const VisitRow& row : visits) {
    if (is_parent[row.visit]) continue;
    if (row.outcome != VisitOutcome::kDone) {
      ++paths.lost;
      continue;
    }
    if (request.outcome == Outcome::kDropped && row.ended_ns >= request.end_ns &&
        !pipeline.modules[row.module].subs.empty()) {
      if (row.ended_ns == request.end_ns) ++paths.unsure;
      continue;  // served in vain: nobody knows which visits it would have caused
    }
    ++paths.served;
    if (row.ended_ns > request.sent_ns + request.slo_ns) ++paths.late;
    double accuracy = 1;
    for (const VisitRow* at = &row;; at = &visits[at->parent]) {
      accuracy *= pipeline.modules[at->module].accuracy;
      if (at->visit == 0) break;
    }
    paths.accuracy += accuracy;
  }
  return paths;
}

/// Expects the counts of paths to agree with the rows, and each request's outcome to follow the rules.
inline void expect_paths(const RunSpec& spec, const Ran& ran, Tally& tally) {
  const RunRecord& record = ran.record;
  std::vector<std::vector<VisitRow>> visits(record.sent);
  for (const VisitRow& row : ran.rows.visit_rows) {
    std::vector<VisitRow>& of_request = visits[row.request];
    if (of_request.size() <= row.visit) of_request.resize(std::size_t{row.visit} + 1);
    of_request[row.visit] = row;
  }
  const bool is_partial = spec.answers == Answers::kPartial;
  std::vector<Paths> expected(record.windows.size());
  for (const RequestRow& row : ran.rows.request_rows) {
    const Paths paths = paths_of(visits[row.request], spec.pipeline, row);
    Paths& window = expected[static_cast<std::size_t>(row.sent_ns / record.window_ns)];
    window.served += paths.served;
    window.late += paths.late;
    window.lost += paths.lost;
    window.unsure += paths.unsure;
    window.accuracy += paths.accuracy;
    if (row.outcome == Outcome::kDropped) {
      EXPECT_TRUE(!is_partial || paths.served == 0);
    } else {
      EXPECT_GT(paths.served, 0U);
      EXPECT_TRUE(is_partial || paths.lost == 0);
      tally["answered_in_part"] += paths.lost > 0 ? 1 : 0;
    }
  }
  // A path, like its request, ends when the dispatcher hears of it: with slow links late, or after a drop.
  const bool heard_late =
      std::ranges::any_of(spec.faults, [](const Fault& fault) { return fault.kind == FaultKind::kDelay; });
  for (std::size_t w = 0; w < expected.size(); ++w) {
    const PathCounts& counts = record.windows[w].paths;
    const std::uint64_t served = std::uint64_t{counts.in_time} + counts.late;
    EXPECT_TRUE(heard_late || served >= expected[w].served) << w;
    EXPECT_LE(served, expected[w].served + expected[w].unsure) << w;
    EXPECT_GE(counts.late, expected[w].late) << w;
    EXPECT_TRUE(heard_late || counts.late <= expected[w].late + expected[w].unsure) << w;
    if (served == expected[w].served) {
      EXPECT_NEAR(counts.accuracy_sum, expected[w].accuracy, 1e-6) << w;
    }
    EXPECT_TRUE(!is_partial || expected[w].unsure == 0) << w;
    // A dropped request may lose paths that have no row.
    EXPECT_TRUE(is_partial ? counts.lost == expected[w].lost : counts.lost >= expected[w].lost) << w;
  }
}

inline void expect_tree_laws(const RunSpec& spec, const Ran& ran, Tally& tally) {
  expect_paths(spec, ran, tally);
  const RunRecord& record = ran.record;
  std::vector<std::uint64_t> visits(record.modules.size(), 0);
  std::vector<std::uint64_t> done(record.modules.size(), 0);
  for (const VisitRow& row : ran.rows.visit_rows) {
    ++visits[row.module];
    if (row.outcome == VisitOutcome::kDone) ++done[row.module];
  }
  for (std::size_t m = 0; m < visits.size(); ++m) {
    EXPECT_EQ(visits[m], record.modules[m].arrived) << m;
    EXPECT_EQ(done[m], record.modules[m].done) << m;
  }
  double accuracy = 0;
  for (const RequestRow& row : ran.rows.request_rows) {
    if (row.outcome == Outcome::kDropped) continue;
    EXPECT_GT(row.accuracy, 0);
    EXPECT_LE(row.accuracy, 1);
    accuracy += row.accuracy;
  }
  EXPECT_NEAR(accuracy, record.accuracy_sum, 1e-6);
  EXPECT_EQ(record.accuracy_requests, record.in_time + record.late);
}

}  // namespace harness::testing
