#include "harness/gpu/torch/torch_error.h"

#include <string_view>

namespace harness {

DeviceError from_torch(const c10::Error& error, const DevicePlace& place, DeviceFault otherwise) {
  const std::string_view text = error.what_without_backtrace();
  const bool memory = text.find("can't allocate memory") != std::string_view::npos ||
                      text.find("out of memory") != std::string_view::npos;
  return {memory ? DeviceFault::kOutOfMemory : otherwise, place, text};
}

}  // namespace harness
