// The one form of a recorded trace that the harness reads: the importer in Python writes it.
#pragma once

#include <string>

#include "harness/core/input_error.h"
#include "workloads/trace_files/trace_data.h"

namespace harness {

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
