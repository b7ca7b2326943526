// All systems that an experiment can name: the ones in systems/all_systems.h, and the ones in shared
// libraries that the program has loaded (harness/serving/system_library.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/serving/system.h"

namespace harness {

/// A library that was loaded. It stays loaded until the program ends.
struct LoadedLibrary {
  std::string path;      ///< absolute path, without links
  std::string checksum;  ///< SHA-256 of the file, hex
  std::vector<SystemEntry> systems;
};

/// Loads the library in the file `path`, only once however often it is asked for, and knows its systems from
/// then on. Throws InputError at `place` if there is no such file, if it is no such library, if it was
/// compiled with headers of another version, or if another system or a table of experiment files already has
/// one of its names. Not thread-safe.
const LoadedLibrary& load_system_library(const std::string& path, const InputPlace& place);

/// Returns the system of that name, or null.
const SystemEntry* known_system(std::string_view name);

/// Returns the library that the system of that name came with; null for a system of the program itself and
/// for an unknown name.
const LoadedLibrary* library_of(std::string_view name);

/// Returns the names of all systems, the program's own first.
std::vector<std::string> known_systems();

/// Returns the version of the headers that libraries have to be compiled with.
std::string sdk_version();

}  // namespace harness
