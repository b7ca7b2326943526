// The world as every part of a system knows it before the run: values only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "harness/core/request_sizes.h"
#include "harness/core/stream.h"
#include "harness/serving/cluster_device.h"
#include "harness/serving/planning_times.h"
#include "harness/serving/server_shape.h"
#include "harness/serving/serving_params.h"

namespace harness {

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
  /// Null if the system does not ask (SystemTraits::wants_sample), and while only the system's parts are
  /// being made.
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
