// Readers for recorded traces, and the formats that they know.
#pragma once

#include <map>
#include <memory>
#include <span>
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

/// A recorded trace: sending times, or counts per bin (then `times_ns` is empty). Source time 0 is the file's
/// beginning.
struct TraceData {
  std::string format;            ///< one of trace_format_names(), but auto
  std::vector<TimeNs> times_ns;  ///< non-decreasing, from 0 on
  double bin_s = 1;
  std::vector<double> counts;  ///< requests in each bin
  TraceTokens tokens;          ///< of logs with tokens: lengths of the requests, as many as times_ns
  std::string reading;         ///< what was taken for what: columns, units
};

/// A published log of requests with tokens: text in columns with a header, or an object of JSON a line.
struct RequestLog {
  const char* format;
  const char* beginning;  ///< of the first line
  const char* time;       ///< names of the columns, or keys
  const char* input;
  const char* output;
  double unit_s;  ///< of the times; 0: dates
  const char* unit;
  bool is_json;
};
TraceData read_request_log(TextLines lines, const RequestLog& log);

/// Reads a trace from the bytes of a file, plain or gzipped. `file_name` is for messages. Uses `format`,
/// `column`, `time_column`, `time_unit` and `bin_s` of the spec. Lines that are empty or begin with '#' are
/// passed over; a line ends at LF or CR LF. Columns stand between commas, semicolons, tabs, bars or blanks; a
/// field may be quoted. The first line is a header unless it has a number or a date. Three digits behind a
/// comma after hh:mm:ss are milliseconds. Lines of words after a date and time, or with one in brackets, are
/// requests at that time.
///
/// times: a request a line; `time_column`, the column that its name says, or the only one. Dates (ISO 8601)
/// and numbers that count from 1970 are taken from the first on, other numbers as they are, from 0 to 1e9 s;
/// their unit is `time_unit`, that of the name (arrival_ms), of a remark "# time_unit = s", of the size of
/// numbers that count from 1970, or s in a file without names. Times that fall are sorted; dates without an
/// offset that fall once by half an hour to an hour are not: an hour that comes twice. Numbers whose digits
/// leave steps of more than 1 s (1.76e+09), ends of requests (end_timestamp), and dates of which only some
/// have an offset are refused.
/// counts: a bin a line; `column`, the column that its name says (count, requests, rps), or the only one
/// beside times; no column of times, or of other numbers by its name. Counts are numbers from 0 to 1e12. The
/// length of a bin is `bin_s`, that of a remark "# bin_s = X", or how far the times beside the counts are
/// apart; these must agree, and times must be sorted, none twice, none left out (bin_times.h).
/// gaps: a request a line, its time since the one before (the first: since the beginning).
/// azure_functions: Azure Functions 2019: a header whose last columns are 1..1440, before them at least
/// hash_func (HashFunction) and possibly day; one row per function and day with the invocations of each
/// minute. Without a day column every function stands once. Days are counted from the smallest one; missing
/// rows are days without requests.
/// azure_llm (TIMESTAMP,ContextTokens,GeneratedTokens), burstgpt (Timestamp in s, Request tokens, Response
/// tokens), mooncake (lines of JSON: timestamp in ms, input_length, output_length): times, from the first one
/// on, and lengths.
/// auto: published formats by their first line; otherwise what names and units in the file say. Where they
/// leave two readings, neither is taken: the message has both.
///
/// Throws InputError with file, line, column, what was found and what is allowed.
TraceData read_trace(const std::string& file_name, std::string_view bytes, const TraceSpec& spec);

/// Returns what the file of a trace holds, as read_trace() reads it. The last few files are kept, by what
/// identifies their contents and the keys that their reading depends on: the cells of an experiment read a
/// file once. One thread has what it has read for itself.
std::shared_ptr<const TraceData> recorded_trace(const TraceSpec& spec);

/// The longest time from one to the next; 0 of fewer than two.
TimeNs longest_gap(std::span<const TimeNs> times_ns);

/// What was read as what, in one line: format, column, unit, bin, requests, span, gaps.
std::string described(const TraceData& data);

/// The lengths of the requests that a log with tokens holds from from_s to to_s, in order; none for other
/// traces. Throws InputError as the file's reader does.
TraceTokens recorded_tokens(const TraceSpec& spec);

/// Invocations by minute of each function chosen by `column` in the trace's file, which must be of format
/// azure_functions, divided by the function's mean; days follow one another. Functions without invocations
/// are left out. Throws InputError as the file's reader does, and where no function is left.
std::vector<std::vector<float>> function_minutes(const TraceSpec& spec);

/// The requests of a log by the module that each names, from the first one of all on, in order of time:
/// columns of times (as read_trace) and of names (`column`; otherwise one that is called module or model).
/// Throws InputError as the file's reader does, and where no column has the names.
std::map<std::string, std::vector<TimeNs>> times_by_module(const TraceSpec& spec);

/// Counts the times in bins of bin_s.
std::vector<double> counts_of(const std::vector<TimeNs>& times_ns, double bin_s);

/// The text of a counts file that read_trace takes: a "# bin_s = X" comment, where counts are no integers "#
/// decimal = .", the header "count", a count per line.
std::string counts_text(const std::string& title, double bin_s, const std::vector<double>& counts);

}  // namespace harness
