#include "harness/gpu/torch/torch_error.h"

#include <string_view>

namespace harness {

namespace {

DeviceFault fault_of(std::string_view text, DeviceFault otherwise) {
  const bool memory = text.find("can't allocate memory") != std::string_view::npos ||
                      text.find("out of memory") != std::string_view::npos ||
                      text.find("STATUS_ALLOC_FAILED") != std::string_view::npos;  // cuBLAS's and cuDNN's
  return memory ? DeviceFault::kOutOfMemory : otherwise;
}

}  // namespace

DeviceError from_torch(const c10::Error& error, const DevicePlace& place, DeviceFault otherwise) {
  const std::string_view text = error.what_without_backtrace();
  return {fault_of(text, otherwise), place, text};
}

DeviceError from_torchscript(const std::runtime_error& error, const DevicePlace& place) {
  constexpr std::string_view kBefore = "RuntimeError: ";
  std::string_view text = error.what();
  const std::size_t last = text.rfind(kBefore);
  if (last != std::string_view::npos) text.remove_prefix(last + kBefore.size());
  return {fault_of(text, DeviceFault::kComputeFailed), place, text};
}

}  // namespace harness
