// The one form of a recorded trace that the harness reads: the importer in Python writes it.
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

/// True if the file begins like a canonical trace. Throws InputError if it cannot be opened, at `named_at`,
/// the key that names it (place_of_file()).
bool is_canonical_trace(const std::string& path, const InputPlace& named_at = {});

/// Reads a canonical trace. Takes only the memory of the result. Throws InputError for a file that is no such
/// trace, is cut, has other bytes than its checksum says or holds numbers that no trace can have.
///
/// Such a file is "# harness trace 1", then the keys of CanonicalHeader (canonical_trace.cc) as TOML, then a
/// line "---", then arrays of little-endian numbers: int64 times in ns; uint32 pairs of tokens; int32 indices
/// in the list of modules; float64 counts, or float32 rates by function.
TraceData read_canonical_trace(const std::string& path);

}  // namespace harness
