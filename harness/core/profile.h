// Profiles: how long a batch takes, per model and device (PARD section 5.1: offline profiling).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/service.h"
#include "harness/core/types.h"

namespace harness {

/// The goodput of one device under an SLO (SHEPHERD, section 4: T).
struct GoodputPoint {
  TimeNs slo_ns = 0;
  double rps = 0;  ///< requests/s that it serves in time; 0: none can end in time
};

/// Latency of one model on one device for every batch size 1..max_batch(). Latencies are positive; they need
/// not grow with the batch size (real kernels change). A shared or delay service has one latency, for
/// planning: the time that its mean visit takes alone, or the mean call.
struct Profile {
  std::string model;
  std::string device;
  std::string source;                 ///< citation, one line
  std::vector<TimeNs> latency_ns;     ///< [b - 1] is the latency of a batch of b
  double memory_mb = 0;               ///< resident size, 0 when the source does not say
  TimeNs load_ns = 0;                 ///< time to load it onto a device, 0 when the source does not say
  int exit_points = 0;                ///< where a running batch can be preempted; 0: the source names none
  std::vector<GoodputPoint> goodput;  ///< by rising SLO; empty: not known
  std::string goodput_source;         ///< how it was found, one line
  Service service = Service::kBatch;
  SharedService shared;  ///< service = kShared
  DelayService delay;    ///< service = kDelay

  int max_batch() const { return static_cast<int>(latency_ns.size()); }
  /// Latency of a batch of `batch` in 1..max_batch().
  TimeNs latency(int batch) const { return latency_ns[static_cast<std::size_t>(batch - 1)]; }
};

/// The largest throughput in requests/s over the batch sizes 1..cap (at most max_batch()).
double best_throughput_rps(const Profile& profile, int cap);

/// The largest throughput in requests/s over the batch sizes 1..cap whose latency is at most `most_ns`; 0
/// when there is none.
double best_throughput_within_rps(const Profile& profile, int cap, TimeNs most_ns);

/// The goodput of one device under that SLO: the profile's own, or on the straight line between its
/// neighbours. Nothing when the SLO lies outside of those that the profile has.
std::optional<double> goodput_rps(const Profile& profile, TimeNs slo_ns);

/// Requests/s of one worker with batches of `batch`. Of a shared server: its share of the visits/s that the
/// full server completes at its mean lengths; a thread: calls/s.
double worker_rps(const Profile& profile, int batch);

/// Workers that one server or thread pool has, which are planned as they are: visits that it takes at once.
/// Others wait in the module's queue. 0: the planner decides (batches).
int fixed_workers(const Profile& profile);

/// The same profile with all latencies multiplied by `factor` > 0 (a slower or faster device); its goodput is
/// that under SLOs that are as many times as long. A remote call (delay) stays as it is.
Profile scaled(const Profile& profile, double factor);

}  // namespace harness
