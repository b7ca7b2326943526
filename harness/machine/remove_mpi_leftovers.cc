#include "harness/machine/remove_mpi_leftovers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "harness/machine/host_name.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

/// Prefixes of the files in shared memory, which the host's name follows.
constexpr const char* kPrefixes[] = {"vader_segment.", "osc_sm.", "sm_segment."};
constexpr const char* kSession = "pid.";

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    entries.push_back(entry->path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_own(const fs::path& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && facts.st_uid == ::geteuid();
}

/// Returns the paths that may have been left: the shared memory of this host's jobs, and the sessions whose
/// mpirun has ended.
std::vector<fs::path> candidates(const MpiFolders& folders) {
  std::vector<fs::path> found;
  const std::string host = host_name() + ".";
  for (const fs::path& path : entries_of(folders.shared_memory)) {
    const auto is_named = [&](const char* prefix) {
      return path.filename().string().starts_with(prefix + host);
    };
    if (std::any_of(std::begin(kPrefixes), std::end(kPrefixes), is_named)) found.push_back(path);
  }
  const fs::path sessions = fs::path(folders.sessions) / ("ompi." + host + std::to_string(::geteuid()));
  std::error_code error;
  for (const fs::path& path : entries_of(sessions)) {
    const std::string name = path.filename().string();
    if (!name.starts_with(kSession)) continue;
    if (!fs::exists(fs::path(folders.processes) / name.substr(std::string(kSession).size()), error) && !error)
      found.push_back(path);
  }
  std::erase_if(found, [](const fs::path& path) { return !is_own(path); });
  return found;
}

/// Returns every path that a process of this user has open or mapped.
std::set<std::string> paths_in_use(const fs::path& processes) {
  std::set<std::string> paths;
  for (const fs::path& process : entries_of(processes)) {
    std::ifstream maps(process / "maps");
    for (std::string line; std::getline(maps, line);) {
      const std::size_t path = line.find('/');
      if (path != std::string::npos) paths.insert(line.substr(path));
    }
    std::error_code error;
    for (const fs::path& open : entries_of(process / "fd"))
      paths.insert(fs::read_symlink(open, error).string());
  }
  return paths;
}

}  // namespace

MpiFolders usual_mpi_folders() {
  MpiFolders folders;
  std::error_code error;
  folders.sessions = fs::temp_directory_path(error).string();
  return folders;
}

std::vector<std::string> remove_mpi_leftovers(const MpiFolders& folders) {
  // The order matters: a file made after the first call is no candidate, and a running job already holds the
  // files that it made before.
  const std::vector<fs::path> found = candidates(folders);
  const std::set<std::string> in_use = paths_in_use(folders.processes);
  std::vector<std::string> removed;
  for (const fs::path& path : found) {
    const std::string name = path.string();
    const auto below = in_use.lower_bound(name + "/");
    if (in_use.contains(name) || (below != in_use.end() && below->starts_with(name + "/"))) continue;
    std::error_code error;
    if (fs::remove_all(path, error) > 0 && !error) removed.push_back(name);
  }
  return removed;
}

}  // namespace harness
