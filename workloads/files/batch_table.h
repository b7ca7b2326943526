// Latencies of batches as other tools write them: neither a trace nor a set of profiles yet.
#pragma once

#include <string_view>

#include "harness/core/error.h"

namespace harness {

/// Throws InputError at `place` if `text` is a table with a column of batch sizes and one of latencies or
/// throughputs and none of times, or JSON of trtexec or torch's profiler. The message says how it becomes a
/// set of profiles.
void refuse_batch_table(const InputPlace& place, std::string_view text);

}  // namespace harness
