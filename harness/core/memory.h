// For libraries that do not survive a lack of memory.
#pragma once

namespace harness {

/// True if 16 MiB more can be had, which is more than such a library takes for a call. The check takes
/// microseconds.
bool has_memory();
/// Throws std::bad_alloc unless has_memory(). Call it before a call that, without memory, might crash or fail
/// without saying why.
void require_memory();

}  // namespace harness
