// The load that a planner is told: what has come since its last plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/engine/accounting/accounting.h"
#include "harness/engine/dispatch/request_flow.h"
#include "harness/engine/run_spec.h"
#include "harness/serving/load_statistics.h"

namespace harness {

/// Measures the load between two plans. Single-threaded.
class LoadMeter {
 public:
  /// `period_ns` is the period of the system's own planning (0: none); the load includes the peaks of such a
  /// period if they are known (peaks_at()). All arguments outlive this object.
  LoadMeter(const RunSpec& spec, TimeNs period_ns, const RequestFlow& flow, const Accounting& accounting);

  void on_request(TimeNs now, StreamId stream) {
    if (keeps_sent_) [[unlikely]]
      keep(now, stream);
  }
  /// Returns the load since the last call, or since the start. `arrived` counts the visits that have arrived
  /// at each module since the start.
  LoadStatistics take(TimeNs now, std::span<const std::uint64_t> arrived);

 private:
  void keep(TimeNs now, StreamId stream) {
    sent_ns_.push_back(now);
    if (spec_.streams.size() > 1) sent_streams_.push_back(stream);
  }
  /// Returns LoadStatistics::fan_out since the last call.
  std::vector<std::vector<double>> fan_out();

  const RunSpec& spec_;
  TimeNs period_ns_;
  const RequestFlow& flow_;
  const Accounting& accounting_;
  bool keeps_sent_;                                 ///< true if LoadStatistics::sent_ns is kept
  std::vector<TimeNs> sent_ns_;                     ///< sending times since the last call
  std::vector<StreamId> sent_streams_;              ///< their streams (LoadStatistics::sent_streams)
  TimeNs at_ns_ = 0;                                ///< time of the last call
  std::vector<std::uint64_t> arrived_;              ///< visits that had arrived at each module by then
  std::vector<std::uint64_t> done_;                 ///< visits that each module had served by then
  std::vector<std::vector<std::uint64_t>> caused_;  ///< visits caused by then (RequestFlow::caused)
};

/// Returns the peak rates of the planning period that contains `now`; empty if they are not known.
std::vector<double> peaks_at(const RunSpec& spec, TimeNs period_ns, TimeNs now);

}  // namespace harness
