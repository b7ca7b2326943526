#include "harness/experiment/storing/build_info.h"

#include <unistd.h>

#include <fstream>
#include <string_view>
#include <thread>

#include "harness/experiment/storing/cell_store.h"
#include "harness/gpu/device/devices.h"
#include "workloads/files/file_bytes.h"

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

std::string machine_text() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  std::string model = "unknown processor";
  while (std::getline(cpuinfo, line)) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) model = line.substr(colon + 2);
    break;
  }
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores";
}

std::string build_id() {
  const std::string program = sha256_of_file("/proc/self/exe");
  const std::string module = device_module_file();
  if (module.empty() || ::access(module.c_str(), R_OK) != 0) return program;
  return sha256_of(program + sha256_of_file(module));
}

Provenance build_provenance() {
  Provenance provenance;
  provenance.git_commit = kGitCommit;
  provenance.git_dirty = kGitDirty;
  provenance.versions = version_text();
  provenance.machine = machine_text();
  return provenance;
}

}  // namespace harness
