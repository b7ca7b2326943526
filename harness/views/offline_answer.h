// The answer of a cell's offline schedule for some of its requests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/types.h"
#include "harness/engine/run_spec.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// The answer of the offline schedule (engine/bounds/offline_schedule.h) for a cell.
struct OfflineAnswer {
  std::optional<std::uint64_t> in_time;    ///< number that it completes in time; nothing: see `why_none`
  std::string why_none;                    ///< reason why there is no schedule that is sure to be feasible
  std::map<std::uint64_t, TimeNs> end_ns;  ///< end of each request that was asked for and that it serves
};

/// Makes the schedule of a run, with its arrivals, and looks up `requests` in it.
OfflineAnswer offline_answer(const RunSpec& spec, const RunRecord& record,
                             const std::vector<std::uint64_t>& requests);

}  // namespace harness
