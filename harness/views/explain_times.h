// The least times that a cell's requests can take by its profiles, and the answer of its offline schedule:
// `harness explain` compares a request's life with both.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/routes.h"
#include "harness/engine/run_spec.h"
#include "harness/record/hdf5/results_file.h"

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

/// The answer of the offline schedule (engine/bounds/offline_schedule.h) for a cell.
struct OfflineAnswer {
  std::optional<std::uint64_t> in_time;    ///< number that it completes in time; nothing: see `why_none`
  std::string why_none;                    ///< reason why there is no schedule that is sure to be feasible
  std::map<std::uint64_t, TimeNs> end_ns;  ///< end of each request that was asked for and that it serves
};

/// Makes the schedule of a run, with its arrivals, and looks up `requests` in it.
OfflineAnswer offline_answer(const RunSpec& spec, const RunRecord& record,
                             const std::vector<std::uint64_t>& requests);

/// The least times and the offline answer for a cell of a results file, made again from its settings.
struct CellTimes {
  std::optional<LeastTimes> least;
  OfflineAnswer offline;
  bool may_be_shorter = false;  ///< true: batches vary (jitter, live runs), so times may be below the least
  std::string why_none;         ///< reason why there are no least times, and so no schedule
};

/// Returns the times of a cell. Relative paths of the settings start at `folder`. If the cell cannot be made
/// again, because its pipeline, profiles or system are not here, says so in `why_none` and does not throw.
CellTimes cell_times(const std::string& path, const CellContents& cell, const std::string& folder,
                     const std::vector<std::uint64_t>& requests);

}  // namespace harness
