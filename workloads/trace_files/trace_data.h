// The contents of a recorded trace.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/core/request_sizes.h"
#include "harness/core/types.h"

namespace harness {

/// A recorded trace: sending times, or counts per bin (then `times_ns` is empty). Source time 0 is the file's
/// beginning.
struct TraceData {
  std::string format;            ///< one of trace_format_names(), except auto
  std::vector<TimeNs> times_ns;  ///< non-decreasing, from 0 on
  double bin_s = 1;
  std::vector<double> counts;             ///< requests in each bin
  TraceTokens tokens;                     ///< lengths of the requests: empty, or as many as times_ns
  std::vector<std::string> modules;       ///< names of the modules that requests name; may be empty
  std::vector<std::int32_t> module_of;    ///< index in `modules` for each request, if there are any modules
  std::vector<std::vector<float>> rates;  ///< invocations of each function in each bin, over their mean
  std::string reading;                    ///< columns and units that the importer took, as a text
  std::vector<std::string> notes;         ///< remarks on things that the import leaves out
  std::string source_sha256;              ///< checksum of the file that was imported
  std::string checksum;                   ///< checksum of the file that the trace names
};

/// Returns the longest time from one to the next; 0 for fewer than two.
TimeNs longest_gap(std::span<const TimeNs> times_ns);

/// Returns one line on how the file was read: format, column, unit, bin, requests, span, gaps, and remarks on
/// things left out.
std::string described(const TraceData& data);

}  // namespace harness
