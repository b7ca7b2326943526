// What a log of anyone is read as: times, counts or gaps of which columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/spec/trace_spec.h"
#include "workloads/trace_files/log_table.h"

namespace harness {

/// What a log is read as.
struct LogReading {
  std::string format;               ///< times, counts, counter or gaps
  std::optional<std::size_t> time;  ///< the column of the times or gaps, or of times beside counts
  std::vector<std::size_t> counts;  ///< columns that are added up
};

/// By the user's words, the names of the columns and their values. The table has rows; it is left anywhere.
/// Throws InputError where two readings are possible, with both and the keys that say which.
LogReading reading_of(LogTable& table, const TraceSpec& spec);

}  // namespace harness
