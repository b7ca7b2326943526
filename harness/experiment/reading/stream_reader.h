// Reads the tables [[trace.NAME.streams]] of an experiment file, the classes of a trace of shape streams, and
// the keys that name one of them; writes the tables.
#pragma once

#include <string>
#include <vector>

#include "harness/files/table_reader.h"
#include "workloads/spec/stream_class.h"
#include "workloads/spec/trace_spec.h"

namespace harness {

/// The key of a trace's table that holds its classes.
inline constexpr const char* kStreamsKey = "streams";

/// Returns the classes in a trace's table; empty if it has no such key. Throws InputError.
std::vector<StreamClass> read_streams(const TableReader& trace);

/// Sets a key of one of the trace's classes; `field` is "streams.N.KEY", and slo_ms takes one number. Whether
/// the key has a meaning beside the others is left to check_trace(). Throws InputError at the assignment's
/// place.
void assign_to_streams(TraceSpec& trace, const std::string& field, const Assignment& assignment);

/// Returns the classes as tables of the trace of that name, with the keys that have a meaning; they read back
/// as the same.
std::string stream_tables(const std::string& trace, const std::vector<StreamClass>& classes);

}  // namespace harness
