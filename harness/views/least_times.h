// The least times that a cell's requests can take by its profiles.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/core/routes.h"
#include "harness/engine/run_spec.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// The least times of requests by the profiles: the batch that takes least, without any wait, and the network
/// delay before each module. If batches vary (jitter, live runs), they are not bounds.
class LeastTimes {
 public:
  /// `record` gives the most cores that a plan gives a worker (latency_with_cores()).
  LeastTimes(const RunSpec& spec, const RunRecord& record);

  /// Returns the least time of the request's batch at the module; for other services, of its own visit or
  /// call only.
  TimeNs exec_ns(RequestId request, ModuleId module) const;
  /// Returns the least time from the request's arrival before the module to its end, along its route. The
  /// other branches of the request do not count. Returns nothing in task trees, in which nobody knows what a
  /// visit will cause.
  std::optional<TimeNs> from_ns(RequestId request, ModuleId module) const;
  /// Returns the least time from the sending of a request that enters there to its end, alone in the system.
  std::optional<TimeNs> whole_ns(RequestId request, ModuleId entry) const;
  /// Returns the network delay before each module.
  TimeNs hop_ns() const { return hop_ns_; }

 private:
  Pipeline pipeline_;
  std::vector<Profile> profiles_;
  std::vector<TimeNs> batch_ns_;  ///< least time of a batch by module; used if batches are its service
  Routes routes_;
  RequestSizes sizes_;
  std::uint64_t seed_;
  TimeNs hop_ns_;
};

}  // namespace harness
