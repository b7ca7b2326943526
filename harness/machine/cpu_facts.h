// Facts about the processors from the Linux kernel: model, clocks, throttling. Facts that are not visible are
// left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// The model and number of the processors.
struct CpuFacts {
  std::string model = "unknown processor";
  int processors = 0;  ///< number of processors that are online
};
/// Reads them below `root`, which is "/" outside of tests.
CpuFacts read_cpu_facts(const std::string& root = "/");

/// The processors' state at a moment.
struct CpuClocks {
  std::string governor;                      ///< "performance"; "mixed" if they differ; "" if not visible
  std::optional<double> mean_mhz;            ///< mean clock of the processors
  std::optional<double> least_mhz;           ///< clock of the slowest processor
  std::optional<std::int64_t> throttled;     ///< number of times that a processor was throttled since boot
  std::optional<std::int64_t> stolen_ticks;  ///< time that a hypervisor kept from the processors, in all
  std::int64_t ticks = 0;                    ///< time of all processors since boot, including stolen time
  std::int64_t idle_ticks = 0;               ///< part of `ticks` in which nothing ran
  TimeNs own_ns = 0;                         ///< processor time of this process
};
/// Reads the state below `root`, which is "/" outside of tests.
CpuClocks read_cpu_clocks(const std::string& root = "/");

/// Returns the share of all processors' time between the two moments that other processes and other virtual
/// machines took: the time that was neither idle nor this process's. Returns nothing if that is not visible.
std::optional<double> share_of_others(const CpuClocks& before, const CpuClocks& after);

/// Returns the share that a hypervisor gave to other virtual machines of the time between the two moments in
/// which the processors had work. Returns nothing if that is not visible or nothing ran.
std::optional<double> share_stolen(const CpuClocks& before, const CpuClocks& after);

/// Returns notes for a reader of timings taken between two moments, a line each, such as "clock 3.1 GHz
/// (least 3.0) before, 2.4 GHz (least 2.2) after: 23 % slower", "throttled 4 times", "other processes took 31
/// % of the processors' time". A note also says if the clock, the governor or throttling is not visible.
std::vector<std::string> clock_notes(const CpuClocks& before, const CpuClocks& after);

}  // namespace harness
