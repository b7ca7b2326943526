// For libraries that do not survive a lack of memory.
#pragma once

namespace harness {

/// True if 16 MiB more can be had, which is more than such a library takes for a call. Takes microseconds.
bool has_memory();
/// Throws std::bad_alloc unless has_memory(): before a call that might crash without, or fail without saying
/// why.
void require_memory();

}  // namespace harness
