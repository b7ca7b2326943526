// The keys of files as tables for pages.
#pragma once

#include <map>
#include <string>

namespace harness {

/// Returns a Markdown table for each part of an experiment file, by name: "file" (its top level), "suite"
/// (the top level of a suite), workload, trace, streams, cluster, serving, planner, module, system, sweep,
/// repeat_until, record, and each system by its name.
std::map<std::string, std::string> key_tables();

/// Returns the tables of every page that has some, by the page's path and the table's name: these, and the
/// tables of pipelines and sets of profiles.
std::map<std::string, std::map<std::string, std::string>> tables_of_pages();

/// Returns `document` with every table that follows a line `<!-- keys: NAME -->` replaced by the one of that
/// name in `tables`.
std::string with_key_tables(const std::string& document, const std::map<std::string, std::string>& tables);

}  // namespace harness
