#include "harness/gpu/device/device_module.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "harness/core/environment_error.h"

namespace harness {
namespace {

const DeviceModule* load_module(const std::string& file) {
  if (file.empty()) return nullptr;
  // The library is never closed: devices, and the exceptions that they throw, live in it.
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : ::dlsym(library, kDeviceModuleSymbol);
  if (symbol == nullptr) {
    const char* const reason = ::dlerror();
    throw EnvironmentError(file + ": cannot be loaded: " + (reason == nullptr ? "unknown reason" : reason));
  }
  return reinterpret_cast<DeviceModuleFunction*>(symbol)();
}

}  // namespace

std::string device_module_file() {
#ifdef HARNESS_DEVICE_MODULE
  constexpr int kMaxFolders = 6;  // levels from a test's folder to the build's
  std::error_code error;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::string beside = (folder.parent_path() / "lib" / HARNESS_DEVICE_MODULE).string();
  for (int i = 0; i < kMaxFolders; ++i) {
    const std::filesystem::path file = folder / "lib" / HARNESS_DEVICE_MODULE;
    if (std::filesystem::exists(file, error)) return file.string();
    folder = folder.parent_path();
  }
  return beside;
#else
  return "";
#endif
}

const DeviceModule* device_module() {
  static const DeviceModule* const kLoaded = load_module(device_module_file());
  return kLoaded;
}

}  // namespace harness
