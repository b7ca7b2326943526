// [[trace.NAME.streams]]: the classes of a trace of shape streams.
#pragma once

#include <string>
#include <vector>

#include "workloads/stream_class.h"
#include "workloads/table_reader.h"
#include "workloads/trace_spec.h"

namespace harness {

/// The key of a trace's table that holds its classes.
inline constexpr const char* kStreamsKey = "streams";

/// The keys of a class but slo_ms, which is a list.
std::vector<Param> stream_params(StreamClass& streams);

/// The classes in a trace's table; none when it has no such key. Throws InputError.
std::vector<StreamClass> read_streams(const TableReader& trace);

/// Sets a key of one of the trace's classes; `field` is "streams.N.KEY", slo_ms one number. Whether the key
/// has a meaning beside the others, check_trace() says. Throws InputError at the assignment's place.
void assign_to_streams(TraceSpec& trace, const std::string& field, const Assignment& assignment);

/// The classes as tables of the trace of that name, which read back as the same: their keys with a meaning.
std::string stream_tables(const std::string& trace, const std::vector<StreamClass>& classes);

}  // namespace harness
