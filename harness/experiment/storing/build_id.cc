#include "harness/experiment/storing/build_id.h"

#include <unistd.h>

#include "harness/files/sha256.h"
#include "harness/gpu/device/device_module.h"

namespace harness {

std::string build_id() {
  const std::string program = sha256_of_file("/proc/self/exe");
  const std::string module = device_module_file();
  if (module.empty() || ::access(module.c_str(), R_OK) != 0) return program;
  return sha256_of(program + sha256_of_file(module));
}

}  // namespace harness
