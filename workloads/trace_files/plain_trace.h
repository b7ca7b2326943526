// Logs and counts that anyone may have written: text in columns, with or without a header.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workloads/files/text_lines.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/trace_files/trace_import.h"

namespace harness {

/// Reads a file of format times, counts, counter or gaps, or of auto, which then follows from names and units
/// in the file or is refused with the readings that are possible (trace_import.h, read_trace). `lines` stands
/// before the first line.
TraceData read_plain(const TextLines& lines, const TraceSpec& spec);

/// times_by_module (trace_import.h) of a file of format times.
std::map<std::string, std::vector<TimeNs>> read_by_module(const TextLines& lines, const TraceSpec& spec);

}  // namespace harness
