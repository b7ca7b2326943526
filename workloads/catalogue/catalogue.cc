#include "workloads/catalogue/catalogue.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "harness/core/error.h"

namespace harness {

std::string workloads_folder() {
  const char* home = std::getenv("HARNESS_HOME");
  return std::string(home != nullptr && *home != '\0' ? home : HARNESS_SOURCE_DIR) + "/workloads";
}

std::vector<std::string> names_in(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> names;
  std::error_code error;
  if (!std::filesystem::is_directory(workloads_folder(), error)) {
    throw EnvironmentError(workloads_folder() + ": not found; set HARNESS_HOME to the folder of the sources");
  }
  for (const auto& entry : std::filesystem::directory_iterator(workloads_folder() + "/" + folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() > suffix.size() && name.ends_with(suffix))
      names.push_back(name.substr(0, name.size() - suffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string path_in(const std::string& folder, const char* what, const std::string& name_or_path) {
  std::error_code error;
  const bool is_path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml") ||
                       name_or_path.ends_with(".txt");
  if (is_path) return name_or_path;
  const std::vector<std::string> names = names_in(folder, ".toml");
  if (std::find(names.begin(), names.end(), name_or_path) == names.end()) {
    if (std::filesystem::is_directory(name_or_path, error)) return name_or_path;
    const std::string near = nearest_name(name_or_path, names);
    throw input_error(
        {"", 0, what}, "'" + name_or_path + "'",
        join_names(names) + ", or a path" + (near.empty() ? "" : " (did you mean " + near + "?)"));
  }
  return workloads_folder() + "/" + folder + "/" + name_or_path + ".toml";
}

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

}  // namespace harness
