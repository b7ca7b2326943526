// The one form of a recorded trace that is read here: the importer in Python writes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/profile.h"
#include "harness/core/types.h"

namespace harness {

/// A recorded trace: sending times, or counts per bin (then `times_ns` is empty). Source time 0 is the file's
/// beginning.
struct TraceData {
  std::string format;            ///< one of trace_format_names(), but auto
  std::vector<TimeNs> times_ns;  ///< non-decreasing, from 0 on
  double bin_s = 1;
  std::vector<double> counts;             ///< requests in each bin
  TraceTokens tokens;                     ///< lengths of the requests: none, or as many as times_ns
  std::vector<std::string> modules;       ///< names of the modules that requests name, or none
  std::vector<std::int32_t> module_of;    ///< place in `modules` for each request, where there are some
  std::vector<std::vector<float>> rates;  ///< by function: its invocations in each bin over their mean
  std::string reading;                    ///< what was taken for what: columns, units
  std::vector<std::string> notes;         ///< what the import leaves behind
  std::string source_sha256;              ///< of the file that was imported
  std::string checksum;                   ///< of the file that the trace names
};

/// True if the file begins as a canonical trace does. Throws InputError where it cannot be opened, at
/// `named_at`, the key that names it (place_of_file()).
bool is_canonical_trace(const std::string& path, const InputPlace& named_at = {});

/// Reads a canonical trace. Memory is that of the result. Throws InputError for a file that is none, is cut,
/// has other bytes than its checksum says or holds what no trace can.
///
/// Such a file is "# harness trace 1", then the keys of CanonicalHeader (canonical_trace.cc) as TOML, then a
/// line "---", then arrays of little-endian numbers: int64 times in ns; uint32 pairs of tokens; int32 places
/// in the list of modules; float64 counts, or float32 rates by function.
TraceData read_canonical_trace(const std::string& path);

}  // namespace harness
