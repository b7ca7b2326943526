// The least times that a cell's requests can take, by its profiles, and what its offline schedule says of
// them: what `harness explain` compares a request's life with.
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

/// Least times of requests by the profiles: the batch that takes least, without any wait, and the network
/// delay before each module. Where batches vary (jitter, live runs) they are not bounds.
class LeastTimes {
 public:
  /// `record` says the most cores that a plan gives a worker (latency_with_cores).
  LeastTimes(const RunSpec& spec, const RunRecord& record);

  /// Of the request's batch at the module; of other services its own visit or call alone.
  TimeNs exec_ns(RequestId request, ModuleId module) const;
  /// From when the request stands before the module to its end, along its route; nothing in task trees, where
  /// nobody knows what a visit will cause. The other branches of the request do not count.
  std::optional<TimeNs> from_ns(RequestId request, ModuleId module) const;
  /// From the sending of a request that enters there to its end: alone in the system.
  std::optional<TimeNs> whole_ns(RequestId request, ModuleId entry) const;
  /// The network delay before each module.
  TimeNs hop_ns() const { return hop_ns_; }

 private:
  Pipeline pipeline_;
  std::vector<Profile> profiles_;
  std::vector<TimeNs> batch_ns_;  ///< by module; counts where batches are its service
  Routes routes_;
  RequestSizes sizes_;
  std::uint64_t seed_;
  TimeNs hop_ns_;
};

/// What the offline schedule (engine/bounds/offline_schedule.h) says of a cell.
struct OfflineAnswer {
  std::optional<std::uint64_t> in_time;    ///< requests that it completes in time; nothing: `why_none`
  std::string why_none;                    ///< why there is no schedule that is sure to be feasible
  std::map<std::uint64_t, TimeNs> end_ns;  ///< of each request that was asked for and that it serves
};

/// Makes the schedule of a run, with its arrivals, and looks up `requests` in it.
OfflineAnswer offline_answer(const RunSpec& spec, const RunRecord& record,
                             const std::vector<std::uint64_t>& requests);

/// Both, of a cell of a results file made again from its settings.
struct CellTimes {
  std::optional<LeastTimes> least;
  OfflineAnswer offline;
  bool may_be_shorter = false;  ///< than the least times, as batches vary: jitter, live runs
  std::string why_none;         ///< why there are no least times; then there is no schedule either
};

/// Relative paths of the settings start at `folder`. What cannot be made again, as its pipeline, profiles or
/// system are not here, is said and does not throw.
CellTimes cell_times(const std::string& path, const CellContents& cell, const std::string& folder,
                     const std::vector<std::uint64_t>& requests);

}  // namespace harness
