// What every part of a system knows of the world before the run: values only.
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

/// When a visit may join a batch.
enum class Commit { kEarly, kLate };
/// How a module's router spreads visits over its queues.
enum class Dispatch { kRoundRobin, kLeastOutstanding };
/// What stands behind one queue.
enum class QueueScope { kWorker, kModule };

/// Settings that all systems share and that change results.
struct ServingParams {
  Commit commit = Commit::kEarly;
  Dispatch dispatch = Dispatch::kRoundRobin;
  QueueScope queue = QueueScope::kWorker;
  double state_period_ms = 1000;
  double state_delay_ms = 0;

  /// State periods in a window: the nearest whole number, at least one.
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
  int count = 0;         ///< as many workers of it are possible
  double usd_per_h = 0;  ///< of one worker, with all that it takes; 0: no price is known
  std::vector<std::optional<Profile>> profiles;  ///< by module, scaled; nothing: its model does not run there
};

/// Servers, all alike: GPUs, cores and host memory that stand together (QUART, section 8.1).
struct ServerShape {
  int gpus = 0;              ///< of a server, which divide the cluster's; 0: GPUs stand alone
  int cores = 0;             ///< of a server; 0: no limit
  double memory_mb = 0;      ///< host memory of a server; 0: no limit
  double gpu_memory_mb = 0;  ///< of each GPU; 0: not known

  /// How many instances of `instance_gpus` GPUs, all of one server, `all_gpus` of them hold.
  int instances(int all_gpus, int instance_gpus) const {
    return gpus == 0 ? all_gpus / instance_gpus : all_gpus / gpus * (gpus / instance_gpus);
  }
};

/// Sending times that planners are told before the run, in order and from 0 on. Each is of a trace, which is
/// `*_ns` long.
struct PlanningTimes {
  /// Of a trace like the one that is served, and not that one itself (InferLine, sections 4 and 6: the sample
  /// query trace).
  std::vector<TimeNs> sample;
  std::vector<StreamId> sample_streams;  ///< of each of `sample`, where a trace has streams; else empty
  TimeNs sample_ns = 0;
  /// Of the run: for planners with perfect knowledge, to compare others with (InferLine, section 7.2); empty
  /// where the system does not ask.
  std::vector<TimeNs> run;
  std::vector<StreamId> run_streams;  ///< likewise
  TimeNs run_ns = 0;
};

/// The static world of a cell. Lives as long as the run.
struct ServingContext {
  const Pipeline* pipeline = nullptr;
  /// One per module, already scaled to the device. With several kinds of devices that of the kind which the
  /// first plan names, and before there is one, of the first kind on which the model runs.
  std::vector<const Profile*> profiles;
  std::span<const ClusterDevice> devices;  ///< empty: all are alike, `workers` of them, without a price
  TimeNs slo_ns = 0;                       ///< the longest of the streams'
  std::vector<Stream> streams;             ///< at least one; a pipeline's requests are one from its entry
  int workers = 0;                         ///< size of the cluster: GPUs, one for each worker or
                                           ///< several (Profile::gpus)
  ServerShape servers;                     ///< in which they stand
  std::uint64_t seed = 0;
  ServingParams serving;
  /// By module: from a call of the planner that adds a worker to when that serves.
  std::vector<TimeNs> activation_ns;
  /// Null where the system does not ask (System::wants_sample), and while only its parts are being made.
  const PlanningTimes* planning = nullptr;
  const RequestSizes* sizes = nullptr;  ///< of the visits at shared services; null while only planning

  /// The shortest SLO of the streams that enter there; the longest of all where none does.
  TimeNs slo_of_entry(ModuleId entry) const {
    TimeNs slo = slo_ns;
    for (const Stream& stream : streams) {
      if (stream.entry == entry) slo = std::min(slo, stream.slo_ns);
    }
    return slo;
  }
  /// On workers of that kind (ModulePlan::device), on which its model runs.
  const Profile& profile(ModuleId module, std::size_t device) const {
    return devices.size() > 1 ? *devices[device].profiles[module] : *profiles[module];
  }
};

}  // namespace harness
