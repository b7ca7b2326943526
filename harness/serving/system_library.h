// The contents of a shared library for the program that loads it: systems from outside the tree. An
// experiment names the library: `[[system]] library = "./mine.so"` (systems/README.md, "Outside the tree").
#pragma once

#include <span>

#include "harness/serving/sdk_version.h"
#include "harness/serving/system.h"

namespace harness {

/// The library's systems. The library is compiled against the headers of harness/core and harness/serving and
/// takes what they declare from the program, so both must be of the same version: the program looks at `sdk`
/// first and refuses a library of another version. The systems live as long as the program.
struct SystemLibrary {
  const char* sdk = kSdkVersion;  ///< version of the headers that the library was compiled with
  std::span<const SystemEntry> systems;
};

}  // namespace harness

/// Returns the library's systems, which never change. Each such library defines this function; the program
/// calls it once, after it has loaded the library, from the thread that reads the experiment.
extern "C" const harness::SystemLibrary* harness_systems();
