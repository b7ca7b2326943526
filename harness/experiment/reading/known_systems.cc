#include "harness/experiment/reading/known_systems.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "harness/experiment/reading/experiment_spec.h"
#include "harness/files/sha256.h"
#include "harness/serving/system_library.h"
#include "systems/all_systems.h"

namespace harness {
namespace {

constexpr const char* kFunction = "harness_systems";

std::vector<std::unique_ptr<LoadedLibrary>>& libraries() {
  static std::vector<std::unique_ptr<LoadedLibrary>> all;
  return all;
}

const SystemEntry* system_in(const LoadedLibrary& library, std::string_view name) {
  const auto found = std::find_if(library.systems.begin(), library.systems.end(),
                                  [&](const SystemEntry& entry) { return name == entry.name; });
  return found == library.systems.end() ? nullptr : &*found;
}

void check_name(const std::string& name, const LoadedLibrary& own, const InputPlace& place) {
  const bool is_plain =
      !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  if (!is_plain)
    throw input_error(place, "a system called '" + name + "'", "lower-case letters, digits and _");
  const LoadedLibrary* const other = system_in(own, name) != nullptr ? &own : library_of(name);
  if (other != nullptr)
    throw input_error(place, "a system " + name + ", which " + other->path + " has too",
                      "a name of its own for each system");
  const std::vector<std::string> tables = top_level_names();
  if (std::find(tables.begin(), tables.end(), name) != tables.end())
    throw input_error(place, "a system " + name + ", which the program has already",
                      "another name than its systems and the tables of experiment files have");
}

/// Returns what the loaded library hands over. Throws InputError unless the library is one of this version.
const SystemLibrary& library_at(void* handle, const InputPlace& place) {
  using Function = const SystemLibrary* (*)();
  const auto function = reinterpret_cast<Function>(::dlsym(handle, kFunction));
  if (function == nullptr)
    throw input_error(place, std::string("no function ") + kFunction,
                      "a library of systems (harness new system NAME --out-of-tree makes one)");
  const SystemLibrary* const library = function();
  const std::string sdk = library == nullptr || library->sdk == nullptr ? "none" : library->sdk;
  if (sdk != kSdkVersion)
    throw input_error(
        place, "compiled with the headers of version " + sdk,
        std::string("those of this program, ") + kSdkVersion + ": build it again (cmake --fresh)");
  if (library->systems.empty()) throw input_error(place, "no system in it", "at least one");
  return *library;
}

}  // namespace

const LoadedLibrary& load_system_library(const std::string& path, const InputPlace& at) {
  const InputPlace place{at.file, at.line, at.key.empty() ? path : at.key + " = " + path};
  std::error_code error;
  const std::string file = std::filesystem::canonical(path, error).string();
  if (error) throw input_error(place, "no such file", "a shared library of systems");
  for (const auto& library : libraries()) {
    if (library->path == file) return *library;
  }
  auto loaded = std::make_unique<LoadedLibrary>();
  loaded->path = file;
  loaded->checksum = sha256_of_file(path, at);
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    throw input_error(
        place, why == nullptr ? "cannot be loaded" : why,
        std::string("a shared library compiled with the headers of this program, ") + kSdkVersion);
  }
  for (const SystemEntry& entry : library_at(handle, place).systems) {
    check_name(entry.name, *loaded, place);
    loaded->systems.push_back(entry);
  }
  libraries().push_back(std::move(loaded));
  return *libraries().back();
}

const LoadedLibrary* library_of(std::string_view name) {
  for (const auto& library : libraries()) {
    if (system_in(*library, name) != nullptr) return library.get();
  }
  return nullptr;
}

const SystemEntry* known_system(std::string_view name) {
  if (const SystemEntry* const entry = find_system(name)) return entry;
  const LoadedLibrary* const library = library_of(name);
  return library == nullptr ? nullptr : system_in(*library, name);
}

std::vector<std::string> known_systems() {
  std::vector<std::string> names;
  for (const SystemEntry& entry : all_systems()) names.emplace_back(entry.name);
  for (const auto& library : libraries()) {
    for (const SystemEntry& entry : library->systems) names.emplace_back(entry.name);
  }
  return names;
}

std::string sdk_version() { return kSdkVersion; }

}  // namespace harness
