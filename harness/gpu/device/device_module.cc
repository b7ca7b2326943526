#include "harness/gpu/device/device_module.h"

#include <dlfcn.h>

#include "harness/core/error.h"

namespace harness {
namespace {

const DeviceModule* load_module(const std::string& file) {
  if (file.empty()) return nullptr;
  // Never closed: devices, and what they throw, live in it.
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
  return HARNESS_DEVICE_MODULE;
#else
  return "";
#endif
}

const DeviceModule* device_module() {
  static const DeviceModule* const kLoaded = load_module(device_module_file());
  return kLoaded;
}

}  // namespace harness
