// Readers for recorded traces, and the formats that they know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "workloads/files/text_lines.h"
#include "workloads/spec/trace_spec.h"

namespace harness {

// The published formats that read_trace knows (trace_import.h describes them).

/// Requests that a trace may have in a minute or a bin.
inline constexpr double kLargestCount = 1e12;

/// Invocations per minute, from the first day on, of the functions chosen by `column` (as in TraceSpec).
std::vector<double> read_azure_functions(TextLines lines, const std::string& column);

/// The same by function, in the order of their names; all of one length.
std::vector<std::vector<double>> read_function_minutes(TextLines lines, const std::string& column);

/// Times of the requests, from the first one on; appends their lengths to `tokens` unless it is null.
std::vector<TimeNs> read_azure_llm(TextLines lines, TraceTokens* tokens = nullptr);

/// A recorded trace: sending times, or counts per bin (then `times_ns` is empty). Source time 0 is the file's
/// beginning.
struct TraceData {
  std::string format;            ///< times, counts, azure_functions or azure_llm
  std::vector<TimeNs> times_ns;  ///< non-decreasing, from 0 on
  double bin_s = 1;
  std::vector<double> counts;  ///< requests in each bin
  TraceTokens tokens;          ///< azure_llm: lengths of the requests, as many as times_ns
};

/// Reads a trace from the bytes of a file, plain or gzipped. `file_name` is for messages. Uses `format`,
/// `column` and `bin_s` of the spec. Lines that are empty or begin with '#' are passed over; a line ends at
/// LF or CR LF.
///
/// times: one sending time a line, in seconds, non-decreasing, from 0 to 1e9.
/// counts: CSV, one bin a row, one or more columns (quoted fields without commas are allowed), with or
/// without a header
///   of names (a first row whose selected field is not a number). Counts are numbers from 0 to 1e12. A
///   comment
///   "# bin_s = X" gives the length of a bin. Rows are bins one after the other: times beside them must be
///   sorted, none twice, none left out (bin_times.h).
/// azure_functions: Azure Functions 2019: a header whose last columns are 1..1440, before them at least
/// hash_func
///   (HashFunction) and possibly day; one row per function and day with the invocations of each minute.
///   Without a day column every function stands once. Days are counted from the smallest one; missing rows
///   are days without requests.
/// azure_llm: Azure LLM inference: TIMESTAMP,ContextTokens,GeneratedTokens; the times, from the first one on,
/// and the token counts.
/// auto: by the first line: a header beginning HashOwner, HashApp, HashFunction or hash_func is
/// azure_functions, one
///   beginning TIMESTAMP azure_llm; a comma or a "# bin_s" comment means counts; anything else times.
///
/// Throws InputError with file, line, column, what was found and what is allowed.
TraceData read_trace(const std::string& file_name, std::string_view bytes, const TraceSpec& spec);

/// The lengths of the requests that a file of format azure_llm holds from from_s to to_s, in order; none for
/// other traces. Throws InputError as the file's reader does.
TraceTokens recorded_tokens(const TraceSpec& spec);

/// Invocations by minute of each function chosen by `column` in the trace's file, which must be of format
/// azure_functions, divided by the function's mean; days follow one another. Functions without invocations
/// are left out. Throws InputError as the file's reader does, and where no function is left.
std::vector<std::vector<float>> function_minutes(const TraceSpec& spec);

/// Counts the times in bins of bin_s.
std::vector<double> counts_of(const std::vector<TimeNs>& times_ns, double bin_s);

/// The text of a counts file that read_trace takes: a "# bin_s = X" comment, the header "count", a count per
/// line.
std::string counts_text(const std::string& title, double bin_s, const std::vector<double>& counts);

}  // namespace harness
