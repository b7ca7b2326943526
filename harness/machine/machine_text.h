// This machine in a line, for the provenance of results and profiles.
#pragma once

#include <string>

namespace harness {

/// Returns the processor and its number of cores.
std::string machine_text();

}  // namespace harness
