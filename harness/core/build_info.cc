#include "harness/core/build_info.h"

#include <string_view>

namespace harness {

std::string version_text() {
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "gcc " __VERSION__;
#endif
  constexpr std::string_view kLibraries = HARNESS_TORCH_LIBRARIES;
  const std::string devices = kLibraries.empty() ? "" : std::string(kLibraries) + ", ";
  return std::string("harness ") + HARNESS_VERSION + ", " + compiler + ", HDF5 " + HARNESS_HDF5_VERSION +
         ", MPI " + HARNESS_MPI_VERSION + ", " + devices + HARNESS_BUILD_TYPE;
}

}  // namespace harness
