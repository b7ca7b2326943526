// Allocations of a benchmark's program, counted, so that "allocates nothing in steady state" is a figure.
#pragma once

#include <cstdint>

namespace harness {

/// Calls of operator new since the start. The program has counted_allocations.cc among its sources and one
/// thread.
std::int64_t allocations();

}  // namespace harness
