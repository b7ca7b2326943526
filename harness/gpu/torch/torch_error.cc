#include "harness/gpu/torch/torch_error.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace harness {
namespace {

DeviceFault fault_of(std::string_view text, DeviceFault otherwise) {
  // Texts of LibTorch, of cuBLAS and an older cuDNN, and of cuDNN.
  constexpr std::string_view kTexts[] = {"can't allocate memory", "out of memory", "STATUS_ALLOC_FAILED",
                                         "ALLOCATION_FAILED"};
  const bool memory = std::any_of(std::begin(kTexts), std::end(kTexts), [&](std::string_view each) {
    return text.find(each) != std::string_view::npos;
  });
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
