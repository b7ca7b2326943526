// Where the shipped pipelines, profiles and trace sources lie.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// The folder workloads/ of the repository: below $HARNESS_HOME when that is set, else below the sources this
/// program was built from.
std::string workloads_folder();

/// The names (without `suffix`) of the files in workloads/FOLDER that end in `suffix`, sorted; none without
/// the folder. Throws EnvironmentError when there is no workloads/ at all.
std::vector<std::string> names_in(const std::string& folder, const std::string& suffix);

/// workloads/FOLDER/NAME.toml when `name_or_path` is a name, else the path itself (it has a '/' or ends in
/// .toml or .txt, or is no name but a folder). Throws InputError listing the names when there is no such
/// file.
std::string path_in(const std::string& folder, const char* what, const std::string& name_or_path);

/// "tm" for "a/b/tm.toml".
std::string stem_of(const std::string& path);

}  // namespace harness
