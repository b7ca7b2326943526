// What arrived since the last plan, for the next one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/engine/accounting/accounting.h"
#include "harness/engine/dispatch/request_flow.h"
#include "harness/engine/run_spec.h"
#include "harness/serving/plan.h"

namespace harness {

/// Single-threaded.
class LoadMeter {
 public:
  /// `period_ns`: of the system's own planning (0: none), whose peaks are known. Everything outlives this.
  LoadMeter(const RunSpec& spec, TimeNs period_ns, const RequestFlow& flow, const Accounting& accounting);

  /// The load since the last call, or the start. `arrived` counts the visits that have arrived at each module
  /// since the start.
  LoadStatistics take(TimeNs now, std::span<const std::uint64_t> arrived);

 private:
  /// LoadStatistics::fan_out since the last call.
  std::vector<std::vector<double>> fan_out();

  const RunSpec& spec_;
  TimeNs period_ns_;
  const RequestFlow& flow_;
  const Accounting& accounting_;
  TimeNs at_ns_ = 0;                                ///< of the last call
  std::vector<std::uint64_t> arrived_;              ///< per module, up to then
  std::vector<std::uint64_t> done_;                 ///< the same of visits served ...
  std::vector<std::vector<std::uint64_t>> caused_;  ///< ... and caused (RequestFlow::caused)
};

/// The peak rates of the period that begins or has begun at `now`; empty: not known.
std::vector<double> peaks_at(const RunSpec& spec, TimeNs period_ns, TimeNs now);

}  // namespace harness
