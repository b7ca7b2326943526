// The workers that were added in the measured part of a run, and their starts.
#pragma once

#include <cstdint>

#include "harness/record/run/no_value.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// The workers that were added after the start, and the mean times from having their GPUs until they could
/// serve (QUART, sections 2.2 and 4.2). The means are over the workers that came to serve; kNoValue: none
/// did.
struct AddedWorkers {
  std::uint64_t count = 0;
  std::uint64_t from_memory = 0;     ///< number of them that started from parameters kept by their server
  double ms_from_memory = kNoValue;  ///< mean start-up time of those workers
  double ms_from_disk = kNoValue;    ///< mean start-up time of the other workers
};
/// Counts the workers that were added in the load.
AddedWorkers added_workers(const RunRecord& record);

/// Returns the time at which the first worker was added after the start, in s; kNoValue if none was added.
double first_added_s(const RunRecord& record);

}  // namespace harness
