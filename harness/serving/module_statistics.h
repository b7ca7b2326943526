// What a planner may be told of each module.
#pragma once

#include <cmath>
#include <cstdint>

namespace harness {

/// The fate of a module's visits since the last plan, as the dispatcher knows it. The dispatcher sends every
/// visit to a queue and hears of a batch when the batch ends, so a batch that began to run and has not ended
/// counts later.
struct ModuleStatistics {
  /// Number of visits there now: they were sent to its queues and are not known to have ended; visits that
  /// run count. In virtual time a visit that is still on its way to its queue (cluster.network_delay_ms) is
  /// not there yet.
  std::uint64_t present = 0;
  /// Mean time from reaching the queue to the start of the batch, over the visits whose batches have ended
  /// since the last plan; NaN: no batch has ended.
  double wait_ms = NAN;
  /// Time for which those batches ran / time in which the module's workers could serve. If batches are long
  /// compared with the period, the share is too high, even above 1, in the period in which they end, and too
  /// low in the periods in which they run; its mean over time is exact. NaN: there was no such time.
  double busy_share = NAN;
  /// Standard deviation over mean (QUART, section 5.2) of the gaps between the visits sent to its queues,
  /// over the gaps that ended since the last plan (GapTotals); NaN: fewer than two.
  double arrival_cv = NAN;
  std::uint64_t gaps = 0;  ///< number of gaps that ended
  double gap_ms = NAN;     ///< mean of these gaps; NaN: no gap ended
};

}  // namespace harness
