// Profiles: the time that a batch takes, per model and device (PARD section 5.1: offline profiling).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/delay_service.h"
#include "harness/core/precision.h"
#include "harness/core/shared_service.h"
#include "harness/core/types.h"

namespace harness {

/// The way in which a worker serves visits. batch: it runs one batch at a time, whose latency depends on the
/// size. shared: it is one slot of a server that runs many visits at once (continuous batching). delay: it is
/// a thread that waits for a remote call.
enum class Service : std::uint8_t { kBatch, kShared, kDelay };

struct GoodputPoint;

/// The latency of one model on one device for every batch size 1..max_batch(). Latencies are positive; they
/// need not grow with the batch size (real kernels change). A shared or delay service has one latency, for
/// planning: the time that its mean visit takes alone, or the mean call.
struct Profile {
  std::string model;
  std::string device;
  std::string source;              ///< citation, one line
  std::vector<TimeNs> latency_ns;  ///< [b - 1] is the latency of a batch of b
  /// Measured batch sizes, rising; the latencies of others are on lines between them; empty: all were
  /// measured.
  std::vector<int> measured;
  /// Time to hand over a batch that is decided at the end of the one before; 0: not known.
  TimeNs handover_ns = 0;
  double memory_mb = 0;  ///< resident size, 0 if the source does not say
  TimeNs load_ns = 0;    ///< time to load it onto a device, 0 if the source does not say
  /// Number of places at which a running batch can be preempted; 0: the source names no places.
  int exit_points = 0;
  int gpus = 1;  ///< number of GPUs that an instance takes, all of one server
  /// Core time of a batch of one: the time that its CPU part takes on one core (QUART, section 3.4:
  /// serialisation, transfers, control flow). The part divides evenly among cores. 0: not known.
  TimeNs cpu_ns = 0;
  int cores = 0;  ///< number of cores with which latency_ns was measured; 0: not known, nor is cpu_ns
  std::vector<GoodputPoint> goodput;  ///< points by rising SLO; empty: not known
  std::string goodput_source;         ///< method by which it was found, one line
  /// Number format in which it computes, if it was measured here; nothing: another source, which need not
  /// say.
  std::optional<Precision> precision;
  /// Kind of service; `shared` counts for kShared, `delay` for kDelay.
  Service service = Service::kBatch;
  SharedService shared;
  DelayService delay;

  int max_batch() const { return static_cast<int>(latency_ns.size()); }
  /// Returns the latency of a batch of size `batch` in 1..max_batch().
  TimeNs latency(int batch) const { return latency_ns[static_cast<std::size_t>(batch - 1)]; }
};

/// A point of the goodput of one device under an SLO (SHEPHERD, section 4: T).
struct GoodputPoint {
  TimeNs slo_ns = 0;
  double rps = 0;  ///< requests/s that it serves in time; 0: no request can end in time
};

/// Returns the latency of a batch of size `batch` on an instance with `cores` cores. A batch of one takes its
/// GPU part and cpu_ns / cores; a larger one is longer or shorter than measured by the same share. If `cores`
/// is 0, or the profile has no cpu_ns, the latency is as measured.
TimeNs latency_with_cores(const Profile& profile, int batch, int cores);

/// Returns the largest throughput in requests/s over the batch sizes 1..cap (at most max_batch()).
double best_throughput_rps(const Profile& profile, int cap);

/// Returns the largest throughput in requests/s over the batch sizes 1..cap whose latency is at most
/// `most_ns`; 0 if there is no such size.
double best_throughput_within_rps(const Profile& profile, int cap, TimeNs most_ns);

/// Returns the goodput of one device under that SLO: the profile's own, or the value on the straight line
/// between its neighbours. Returns nothing if the SLO lies outside the range of the profile's SLOs.
std::optional<double> goodput_rps(const Profile& profile, TimeNs slo_ns);

/// Returns the requests/s of one worker with batches of size `batch`. For a slot of a shared server, this is
/// its share of the visits/s that the full server completes at its mean lengths; for a thread, calls/s.
double worker_rps(const Profile& profile, int batch);

/// Returns the number of workers of one server or thread pool, which must be planned as they are: the number
/// of visits that it takes at once. Other visits wait in the module's queue. 0: the planner decides
/// (batches).
int fixed_workers(const Profile& profile);

/// Returns the same profile with all latencies, and their CPU part, multiplied by `factor` > 0 (a slower or
/// faster device). Its goodput under an SLO that is `factor` times as long is divided by `factor`. A remote
/// call (delay) stays as it is.
Profile scaled(const Profile& profile, double factor);

}  // namespace harness
