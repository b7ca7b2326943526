// Recorded traces: the log of anyone, read by the importer in Python (workloads/importers), whose result is
// kept.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/trace_files/canonical_trace.h"

namespace harness {

/// The parts of a file that are wanted.
enum class TraceParts {
  kLoad,       ///< times or counts of all requests, their tokens and modules
  kFunctions,  ///< the rates of each function chosen by `column`, in a file of format azure_functions
  kModules,    ///< times and the module of each request, which `column` names
};

/// Returns the contents of a trace's file. A canonical trace is read as it is. From any other file the
/// importer makes one, which is kept in the folder of cache_folder(): the importer does not run again for a
/// file with the same bytes and the same keys. Uses the keys of reading_keys().
///
/// Throws InputError with file, line, column, what was found and what is allowed; EnvironmentError if the
/// importer cannot run.
TraceData imported_trace(const TraceSpec& spec, TraceParts parts);

/// Writes the canonical trace of a log to `output` and prints what was read. Throws as imported_trace() does.
void import_trace(const TraceSpec& spec, const std::string& output);

/// Returns the load of imported_trace(). The last few are kept in memory: the cells of an experiment read a
/// file once, and get its refusal once. Each thread keeps its own.
std::shared_ptr<const TraceData> recorded_trace(const TraceSpec& spec);

/// Imports the file of the trace, if it has one, so that others find the result. Throws as imported_trace()
/// does.
void prepare_trace(const TraceSpec& spec);

/// Returns the folder of files kept from run to run: $HARNESS_CACHE, else harness in $XDG_CACHE_HOME or
/// ~/.cache; "" if $HOME is not set either.
std::string cache_folder();

/// Returns the SHA-256 (hex) of the trace's file; "" for generated shapes. Throws InputError if it cannot be
/// read; if there is no file, the message names the key and, for the real traces in
/// workloads/traces/SOURCES.toml, says what to do.
std::string trace_checksum(const TraceSpec& spec);

/// Returns the longest time from one to the next; 0 for fewer than two.
TimeNs longest_gap(std::span<const TimeNs> times_ns);

/// Returns one line on how the file was read: format, column, unit, bin, requests, span, gaps, and remarks on
/// things left out.
std::string described(const TraceData& data);

/// Returns the lengths of the requests that a log with tokens holds from from_s to to_s, in order; empty for
/// other traces. Throws as imported_trace() does.
TraceTokens recorded_tokens(const TraceSpec& spec);

/// Returns the requests of a log by the module that each names (in `column`, or else in a column that is
/// called module or model), in order of time, with the file's times. Throws as imported_trace() does, and if
/// no column has the names.
std::map<std::string, std::vector<TimeNs>> times_by_module(const TraceSpec& spec);

/// Returns the counts of the times in bins of bin_s.
std::vector<double> counts_of(const std::vector<TimeNs>& times_ns, double bin_s);

/// Returns the text of a file of counts: a "# bin_s = X" comment, if counts are no integers "# decimal = .",
/// the header "count", and a count per line.
std::string counts_text(const std::string& title, double bin_s, const std::vector<double>& counts);

}  // namespace harness
