// The published formats that read_trace knows (trace_import.h describes them).
#pragma once

#include <string>
#include <vector>

#include "harness/core/request_sizes.h"
#include "harness/core/types.h"
#include "workloads/text_lines.h"

namespace harness {

/// Requests that a trace may have in a minute or a bin.
inline constexpr double kLargestCount = 1e12;

/// Invocations per minute, from the first day on, of the functions chosen by `column` (as in TraceSpec).
std::vector<double> read_azure_functions(TextLines lines, const std::string& column);

/// The same by function, in the order of their names; all of one length.
std::vector<std::vector<double>> read_function_minutes(TextLines lines, const std::string& column);

/// Times of the requests, from the first one on; appends their lengths to `tokens` unless it is null.
std::vector<TimeNs> read_azure_llm(TextLines lines, TraceTokens* tokens = nullptr);

}  // namespace harness
