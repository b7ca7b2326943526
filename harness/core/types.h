// Ids and time.
#pragma once

#include <cstdint>
#include <limits>

namespace harness {

/// Time and durations in integer nanoseconds; virtual time starts at 0 when the load starts.
using TimeNs = std::int64_t;

inline constexpr TimeNs kNsPerUs = 1'000;
inline constexpr TimeNs kNsPerMs = 1'000'000;
inline constexpr TimeNs kNsPerS = 1'000'000'000;
inline constexpr TimeNs kNever = std::numeric_limits<TimeNs>::max();

/// Index of a request in its workload, in sending order, from 0.
using RequestId = std::uint64_t;
/// Handle of a live visit. It is unique among the visits that wait in a queue or run there, and reused
/// afterwards.
using VisitId = std::uint32_t;
/// Index of a module in its pipeline.
using ModuleId = std::uint16_t;
/// Index of a worker in the cluster, from 0; never reused for another worker within a run.
using WorkerId = std::uint32_t;
/// Index of a queue; never reused within a run.
using QueueId = std::uint32_t;

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Converts a duration from milliseconds to nanoseconds, rounded to the nearest.
constexpr TimeNs ms_to_ns(double ms) {
  const double ns = ms * static_cast<double>(kNsPerMs);
  return static_cast<TimeNs>(ns < 0 ? ns - 0.5 : ns + 0.5);
}
/// Converts a duration from seconds to nanoseconds, rounded to the nearest.
constexpr TimeNs s_to_ns(double s) {
  const double ns = s * static_cast<double>(kNsPerS);
  return static_cast<TimeNs>(ns < 0 ? ns - 0.5 : ns + 0.5);
}
constexpr double ns_to_ms(TimeNs ns) { return static_cast<double>(ns) / static_cast<double>(kNsPerMs); }
constexpr double ns_to_s(TimeNs ns) { return static_cast<double>(ns) / static_cast<double>(kNsPerS); }

}  // namespace harness
