// The keys of a trace by their kind.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// Returns the keys of a trace that say how its file is read.
std::vector<std::string> reading_keys();

/// Returns the keys of a trace that shape streams has; the others belong to a single load.
std::vector<std::string> stream_trace_keys();

}  // namespace harness
