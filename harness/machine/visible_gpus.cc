#include "harness/machine/visible_gpus.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "harness/core/hash.h"
#include "harness/machine/host_name.h"

namespace harness {
namespace {

constexpr std::size_t kUuidBytes = 16;

template <typename Function>
bool find_in(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

/// Returns the UUIDs of the GPUs that CUDA shows this process, in CUDA's order; "" if it shows no GPU or does
/// not tell a UUID. Nothing is run on the GPUs, and none of their memory is taken.
std::string visible_uuids(const std::string& driver) {
  void* const library = dlopen(driver.c_str(), RTLD_NOW);  // never closed: drivers may not bear unloading
  if (library == nullptr) return "";
  int (*init)(unsigned) = nullptr;
  int (*count_of)(int*) = nullptr;
  int (*device_of)(int*, int) = nullptr;
  int (*uuid_of)(char*, int) = nullptr;
  if (!find_in(library, "cuInit", init) || !find_in(library, "cuDeviceGetCount", count_of) ||
      !find_in(library, "cuDeviceGet", device_of) || !find_in(library, "cuDeviceGetUuid_v2", uuid_of))
    return "";
  int count = 0;
  if (init(0) != 0 || count_of(&count) != 0) return "";
  std::string uuids;
  for (int index = 0; index < count; ++index) {
    int device = 0;
    std::array<char, kUuidBytes> uuid{};
    if (device_of(&device, index) != 0 || uuid_of(uuid.data(), device) != 0) return "";
    uuids.append(uuid.data(), uuid.size());
  }
  return uuids;
}

}  // namespace

std::uint64_t visible_gpu_set(const std::string& driver) {
  const std::string uuids = visible_uuids(driver);
  if (!uuids.empty()) return hash_text(uuids);
  std::string kernel;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), kernel);
  if (kernel.empty()) kernel = host_name();
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return hash_text(visible == nullptr ? "" : visible, hash_text(kernel));
}

}  // namespace harness
