// Recorded traces: the log of anyone, read by the importer in Python (workloads/importers), whose result is
// kept.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/request_sizes.h"
#include "harness/core/types.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/trace_files/trace_data.h"

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

/// Returns the lengths of the requests that a log with tokens holds from from_s to to_s, in order; empty for
/// other traces. Throws as imported_trace() does.
TraceTokens recorded_tokens(const TraceSpec& spec);

/// Returns the requests of a log by the module that each names (in `column`, or else in a column that is
/// called module or model), in order of time, with the file's times. Throws as imported_trace() does, and if
/// no column has the names.
std::map<std::string, std::vector<TimeNs>> times_by_module(const TraceSpec& spec);

}  // namespace harness
