#include "workloads/catalogue/catalogue.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/wording.h"

namespace harness {

namespace {

/// Returns share/harness of the installation or build that has this program: in the nearest folder above the
/// program that has one, else at the place that an installation would have.
std::string folder_beside_the_program() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::filesystem::path files = std::filesystem::path("share") / "harness";
  for (std::filesystem::path folder = program; folder.has_relative_path(); folder = folder.parent_path()) {
    if (std::filesystem::is_directory(folder / files / "workloads", error)) {
      const std::filesystem::path found = std::filesystem::canonical(folder / files, error);
      return (error ? folder / files : found).string();
    }
  }
  return (program.parent_path() / files).string();
}

}  // namespace

std::string home_folder() {
  const char* const home = std::getenv("HARNESS_HOME");
  static const std::string kBeside = folder_beside_the_program();
  return home != nullptr && *home != '\0' ? home : kBeside;
}

std::string workloads_folder() { return home_folder() + "/workloads"; }

std::vector<std::string> names_in(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> names;
  std::error_code error;
  if (!std::filesystem::is_directory(workloads_folder(), error)) {
    throw EnvironmentError(
        workloads_folder() +
        ": not found; set HARNESS_HOME to the folder of the sources, or to share/harness of an "
        "installation");
  }
  for (const auto& entry : std::filesystem::directory_iterator(workloads_folder() + "/" + folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() > suffix.size() && name.ends_with(suffix))
      names.push_back(name.substr(0, name.size() - suffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_path(const std::string& name_or_path) {
  return name_or_path.find_first_of("/.") != std::string::npos;
}

std::string path_in(const std::string& folder, const char* what, const std::string& name_or_path) {
  std::error_code error;
  if (is_path(name_or_path)) return name_or_path;
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
