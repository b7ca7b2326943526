// The world as every part of a system knows it before the run: values only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/arrivals.h"
#include "harness/core/params.h"
#include "harness/core/pipeline.h"
#include "harness/core/profile.h"

namespace harness {

/// Rule for when a visit may join a batch.
enum class Commit { kEarly, kLate };
/// Rule by which a module's router spreads visits over its queues.
enum class Dispatch { kRoundRobin, kLeastOutstanding };
/// The workers behind one queue: a single one, or all of a module.
enum class QueueScope { kWorker, kModule };

/// Settings that all systems share and that change results.
struct ServingParams {
  Commit commit = Commit::kEarly;
  Dispatch dispatch = Dispatch::kRoundRobin;
  QueueScope queue = QueueScope::kWorker;
  double state_period_ms = 1000;
  double state_delay_ms = 0;

  /// Returns the number of state periods in a window: the nearest whole number, at least one.
  std::size_t periods_in(double window_s) const {
    return static_cast<std::size_t>(std::max(1.0, std::floor(window_s * 1000 / state_period_ms + 0.5)));
  }

  void list(ParamList& params) {
    params.choice("commit", commit, {"early", "late"},
                  "when visits join a batch: early, from the start of the batch before it (PARD section "
                  "4.2); late, only "
                  "when the worker is free");
    params.choice("dispatch", dispatch, {"round_robin", "least_outstanding"},
                  "how a module's router chooses a queue");
    params.choice("queue", queue, {"worker", "module"},
                  "one queue per worker, or one per module shared by its workers");
    params.number("state_period_ms", state_period_ms, 1, 1e6,
                  "period of reports and of the state exchange between modules (PARD: once per second)");
    params.number("state_delay_ms", state_delay_ms, 0, 1e5,
                  "time that a report or a published state takes to arrive");
  }
};

/// A kind of device in the cluster (InferLine, section 2: heterogeneous hardware), with its price.
struct ClusterDevice {
  std::string name;
  int count = 0;         ///< number of workers of this kind that are possible
  double usd_per_h = 0;  ///< price of one worker, with all that it takes; 0: no price is known
  /// Scaled profile of each module; nothing: its model does not run on this kind.
  std::vector<std::optional<Profile>> profiles;
};

/// The shape of a server; all servers are alike. A server has GPUs, cores and host memory (QUART, section
/// 8.1).
struct ServerShape {
  int gpus = 0;   ///< number of GPUs of a server, which divides the cluster's; 0: no GPU belongs to a server
  int cores = 0;  ///< number of cores of a server; 0: no limit
  double memory_mb = 0;      ///< host memory of a server; 0: no limit
  double gpu_memory_mb = 0;  ///< memory of each GPU; 0: not known

  /// Returns the number of instances that `all_gpus` GPUs hold if each takes `instance_gpus` GPUs, all of one
  /// server.
  int instances(int all_gpus, int instance_gpus) const {
    return gpus == 0 ? all_gpus / instance_gpus : all_gpus / gpus * (gpus / instance_gpus);
  }
};

/// Sending times that planners are told before the run, in order and from 0 on. Each list belongs to a trace,
/// whose length is the `*_ns` after it.
struct PlanningTimes {
  /// Times of a trace that is like the one that is served, but not that one itself (InferLine, sections 4 and
  /// 6: the sample query trace).
  std::vector<TimeNs> sample;
  /// Stream of each entry of `sample`, if the trace has streams; else empty.
  std::vector<StreamId> sample_streams;
  TimeNs sample_ns = 0;
  /// Times of the run, for planners with perfect knowledge, to compare others with (InferLine, section 7.2).
  /// Empty if the system does not ask.
  std::vector<TimeNs> run;
  std::vector<StreamId> run_streams;  ///< stream of each entry of `run`, likewise
  TimeNs run_ns = 0;
};

/// The static world of a cell. It lives as long as the run.
struct ServingContext {
  const Pipeline* pipeline = nullptr;
  /// One profile per module, already scaled to the device. With several kinds of devices it is the profile
  /// for the kind that the first plan names or, before there is a plan, for the first kind on which the model
  /// runs.
  std::vector<const Profile*> profiles;
  /// Kinds of devices; empty: all `workers` devices are alike and have no price.
  std::span<const ClusterDevice> devices;
  TimeNs slo_ns = 0;  ///< longest SLO of the streams
  /// At least one stream; the requests of a pipeline are one stream from its entry.
  std::vector<Stream> streams;
  int workers = 0;      ///< size of the cluster in GPUs; a worker takes one or several (Profile::gpus)
  ServerShape servers;  ///< servers to which the GPUs belong
  std::uint64_t seed = 0;
  ServingParams serving;
  /// For each module, the time from a call of the planner that adds a worker until that worker serves.
  std::vector<TimeNs> activation_ns;
  /// Null if the system does not ask (System::wants_sample), and while only the system's parts are being
  /// made.
  const PlanningTimes* planning = nullptr;
  /// Sizes of the visits at shared services; null while only planning.
  const RequestSizes* sizes = nullptr;

  /// Returns the shortest SLO of the streams that enter at `entry`, or the longest SLO of all if no stream
  /// does.
  TimeNs slo_of_entry(ModuleId entry) const {
    TimeNs slo = slo_ns;
    for (const Stream& stream : streams) {
      if (stream.entry == entry) slo = std::min(slo, stream.slo_ns);
    }
    return slo;
  }
  /// Returns the module's profile on workers of that kind (ModulePlan::device), on which its model runs.
  const Profile& profile(ModuleId module, std::size_t device) const {
    return devices.size() > 1 ? *devices[device].profiles[module] : *profiles[module];
  }
};

}  // namespace harness
