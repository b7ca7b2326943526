// Counts the allocations of a benchmark's program, so that "allocates nothing in steady state" is a figure.
#pragma once

#include <cstdint>

namespace harness {

/// Returns the number of calls of operator new since the start. The program must have counted_allocations.cc
/// among its sources, and only one thread.
std::int64_t allocations();

}  // namespace harness
