// This machine in a line, for the provenance of results and profiles.
#pragma once

#include <string>

namespace harness {

/// Returns the processor's model and the number of the machine's hardware threads, called cores.
std::string machine_text();

}  // namespace harness
