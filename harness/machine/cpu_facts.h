// What the kernel tells about processors: model, clocks, throttling. Linux; what is not visible is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// Reads below `root`: "/" outside of tests.
struct CpuFacts {
  std::string model = "unknown processor";
  int processors = 0;  ///< online
};
CpuFacts read_cpu_facts(const std::string& root = "/");

/// The processors' state at a moment.
struct CpuClocks {
  std::string governor;                      ///< "performance"; "mixed" when they differ; "" not visible
  std::optional<double> mean_mhz;            ///< over the processors
  std::optional<double> least_mhz;           ///< of the slowest
  std::optional<std::int64_t> throttled;     ///< times that one was, since it started
  std::optional<std::int64_t> stolen_ticks;  ///< time that a hypervisor kept from them, in all
  std::int64_t ticks = 0;                    ///< all time of all of them
  std::int64_t idle_ticks = 0;               ///< of it, nothing ran
  TimeNs own_ns = 0;                         ///< of it, this process ran
};
CpuClocks read_cpu_clocks(const std::string& root = "/");

/// How much of all processors' time between the two moments was neither idle nor this process's: other
/// processes and other virtual machines. Nothing where that is not visible.
std::optional<double> share_of_others(const CpuClocks& before, const CpuClocks& after);

/// How much of the time in which the processors had work a hypervisor gave to other virtual machines between
/// the two moments. Nothing where that is not visible or nothing ran.
std::optional<double> share_stolen(const CpuClocks& before, const CpuClocks& after);

/// What a reader of timings taken between two moments should know: a line each, such as "clock 3.1 GHz (least
/// 3.0) before, 2.4 GHz (least 2.2) after: 23 % slower", "throttled 4 times", "other processes took 31 %
/// of the processors' time". Says what is not visible.
std::vector<std::string> clock_notes(const CpuClocks& before, const CpuClocks& after);

}  // namespace harness
