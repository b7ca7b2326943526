// The folder of the shipped pipelines, profiles and trace sources, and the names in it.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// Returns the folder that has workloads/, results/ and experiments/: $HARNESS_HOME if that is set, else
/// share/harness of the installation that has this program. In a build that is a link to the sources.
std::string home_folder();
/// Returns workloads/ in home_folder().
std::string workloads_folder();

/// Returns the names (without `suffix`) of the files in workloads/FOLDER that end in `suffix`, sorted; empty
/// without the folder. Throws EnvironmentError if there is no workloads/ at all.
std::vector<std::string> names_in(const std::string& folder, const std::string& suffix);

/// True if it is a path and no name: it has a '/' or a '.'.
bool is_path(const std::string& name_or_path);
/// Returns workloads/FOLDER/NAME.toml if `name_or_path` is a name, else the path itself (is_path(), or a
/// folder whose name is no such name). Throws InputError listing the names if there is no such file.
std::string path_in(const std::string& folder, const char* what, const std::string& name_or_path);

/// Returns "tm" for "a/b/tm.toml".
std::string stem_of(const std::string& path);

}  // namespace harness
