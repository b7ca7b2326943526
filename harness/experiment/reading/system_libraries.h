// Every system that an experiment can name: those of systems/all_systems.h, and those of shared libraries
// that the program has loaded (harness/serving/system_library.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/serving/system.h"

namespace harness {

/// A library that was loaded. It stays so until the program ends.
struct LoadedLibrary {
  std::string path;      ///< absolute, without links
  std::string checksum;  ///< SHA-256 of the file, hex
  std::vector<SystemEntry> systems;
};

/// Loads the library in the file `path`, once however often it is asked for, and knows its systems from then
/// on. Throws InputError at `place`: no such file, no such library, one that was compiled with headers of
/// another version, or a name that another system or a table of experiment files has already. Not
/// thread-safe.
const LoadedLibrary& load_system_library(const std::string& path, const InputPlace& place);

/// The system of that name, or null.
const SystemEntry* known_system(std::string_view name);

/// The library that the system of that name came with; null for those of the tree, and for no system.
const LoadedLibrary* library_of(std::string_view name);

/// All names, those of the tree first.
std::vector<std::string> known_systems();

/// The version of the headers that libraries have to be compiled with.
std::string sdk_version();

}  // namespace harness
