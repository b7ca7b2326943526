// The keys of an experiment file as tables for docs/keys.md.
#pragma once

#include <map>
#include <string>

namespace harness {

/// Returns a Markdown table for each part of the file, by name: "file" (its top level), "suite" (the top
/// level of a suite), workload, trace, streams, cluster, serving, planner, module, system, sweep,
/// repeat_until, record, and each system by its name.
std::map<std::string, std::string> key_tables();

/// Returns `document` with every table that follows a line `<!-- keys: NAME -->` replaced by the one of that
/// name.
std::string with_key_tables(const std::string& document);

}  // namespace harness
