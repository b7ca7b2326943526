// Latencies of batches as other tools write them: neither a trace nor a set of profiles yet.
#pragma once

#include <string_view>

namespace harness {

/// Returns true for what perf_analyzer, Vidur, trtexec and torch's profiler write.
bool is_latency_report(std::string_view text);
/// Returns true for these, and for a table with a column of batch sizes and one of latencies or throughputs:
/// a log of requests may have both, too.
bool may_be_batch_table(std::string_view text);
// What messages say of such a file.
inline constexpr const char* kBatchTable = "latencies of batches, as another tool wrote them";
inline constexpr const char* kBatchTableImport =
    "a set of profiles made of them: harness profile import FILE -o SET.toml";

}  // namespace harness
