// The row of a request as the files hold it (results/README.md describes every column). Internal to record/.
//
// The end is stored as a latency: durations repeat within a batch, so that a row compresses to about half the
// size that absolute times would need, and no nanosecond is lost.
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"
#include "harness/record/run/request_row.h"

namespace harness {

/// A row with a latency in the place of the end.
struct StoredRequest {
  std::uint64_t request = 0;
  TimeNs sent_ns = 0;
  TimeNs latency_ns = 0;
  TimeNs gpu_ns = 0;
  std::uint16_t module = 0;
  Outcome outcome = Outcome::kUnfinished;
  DropReason reason = DropReason::kExpired;
  TimeNs schedule_lag_ns = 0;  ///< no column in files from before there was a live runtime
  std::uint32_t stream = 0;    ///< no column in files from before there were streams
  TimeNs slo_ns = 0;           ///< no column in files from before there were streams
  double accuracy = NAN;       ///< no column in files from before models had accuracies

  static void list(auto& row, auto&& column) {
    column("request", row.request);
    column("sent_ns", row.sent_ns);
    column("latency_ns", row.latency_ns);
    column("gpu_ns", row.gpu_ns);
    column("module", row.module);
    column("outcome", row.outcome);
    column("reason", row.reason);
    column("schedule_lag_ns", row.schedule_lag_ns);
    column("stream", row.stream);
    column("slo_ns", row.slo_ns);
    column("accuracy", row.accuracy);
  }
};

StoredRequest stored(const RequestRow& row);
RequestRow restored(const StoredRequest& row);

}  // namespace harness
