// The row of a visit as the files hold it (results/README.md describes every column). Internal to record/.
//
// The times are stored as durations counted back from the end of the visit: these repeat within a batch, as
// latencies do (stored_request.h).
#pragma once

#include <cstdint>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"
#include "harness/record/run/visit_row.h"

namespace harness {

/// The stored value for a stage that a visit never reached, and for kNever in the rows of workers.
inline constexpr TimeNs kNotReached = -1;

/// A row with durations in the place of times.
struct StoredVisit {
  std::uint64_t request = 0;
  std::uint16_t visit = 0;
  std::uint16_t parent = 0;
  std::uint16_t module = 0;
  std::uint16_t batch = 0;
  TimeNs ended_ns = 0;
  TimeNs queueing_ns = 0;
  TimeNs wait_ns = 0;
  TimeNs exec_ns = 0;
  std::uint32_t worker = 0;
  VisitOutcome outcome = VisitOutcome::kUnfinished;
  DropReason reason = DropReason::kExpired;

  static void list(auto& row, auto&& column) {
    column("request", row.request);
    column("visit", row.visit);
    column("parent", row.parent);
    column("module", row.module);
    column("batch", row.batch);
    column("ended_ns", row.ended_ns);
    column("queueing_ns", row.queueing_ns);
    column("wait_ns", row.wait_ns);
    column("exec_ns", row.exec_ns);
    column("worker", row.worker);
    column("outcome", row.outcome);
    column("reason", row.reason);
  }
};

StoredVisit stored(const VisitRow& row);
VisitRow restored(const StoredVisit& row);

}  // namespace harness
