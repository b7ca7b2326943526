// Latencies of batches as other tools write them: neither a trace nor a set of profiles yet.
#pragma once

#include <string_view>

namespace harness {

/// True for reports of perf_analyzer, Vidur, trtexec and torch's profiler.
bool is_latency_report(std::string_view text);
/// True for such reports, and for a table with a column of batch sizes and one of latencies or throughputs: a
/// log of requests may have both, too.
bool may_be_batch_table(std::string_view text);
// The words of messages for such a file.
inline constexpr const char* kBatchTable = "latencies of batches, as another tool wrote them";
inline constexpr const char* kBatchTableImport =
    "a set of profiles made of them: harness profile import FILE -o SET.toml";

}  // namespace harness
