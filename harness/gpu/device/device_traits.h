// The kinds of devices and their traits, a row for each kind.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

/// A kind of device: the index of its row in kDeviceKinds.
enum class DeviceKind { kCpu, kCuda, kNull };

/// The name of a kind of device, and all that the rest of the program asks of the kind.
struct DeviceTraits {
  const char* name;             ///< name in experiment files and options; no name begins with another one
  const char* description;      ///< the thing that stands for a worker's GPU, for the key gpu.device
  bool needs_gpu = false;       ///< true if each is a GPU of the host and has its number: "cuda:1"
  bool computes = false;        ///< true if they run the networks, whose files must exist; false: they do not
  bool takes_threads = false;   ///< true if several threads may compute a batch together
  bool needs_torch = false;     ///< true if they are in the module of LibTorch's devices (device_module.h)
  bool exchanges_nccl = false;  ///< true if NCCL can bring their tensors to devices of other ranks
};

/// The kinds of devices. The functions that list and make the devices of each kind are in devices.cc.
inline constexpr DeviceTraits kDeviceKinds[] = {
    {.name = "cpu",
     .description = "LibTorch on processor cores",
     .computes = true,
     .takes_threads = true,
     .needs_torch = true},
    {.name = "cuda",
     .description = "a CUDA GPU",
     .needs_gpu = true,
     .computes = true,
     .needs_torch = true,
     .exchanges_nccl = true},
    {.name = "null", .description = "nothing, which ends each batch at once"},
};

constexpr const DeviceTraits& traits_of(DeviceKind kind) {
  return kDeviceKinds[static_cast<std::size_t>(kind)];
}
constexpr const char* name_of(DeviceKind kind) { return traits_of(kind).name; }
static_assert(name_of(DeviceKind::kCpu) == std::string_view("cpu"));
static_assert(name_of(DeviceKind::kCuda) == std::string_view("cuda"));
static_assert(name_of(DeviceKind::kNull) == std::string_view("null"));

/// Returns the kind whose name the text begins with, as Device::name() does; nothing for other texts.
std::optional<DeviceKind> kind_of_device(std::string_view name);

/// Returns the names of all kinds, or of those with and without a trait.
std::vector<std::string> device_kinds();
std::vector<std::string> device_kinds_with(bool DeviceTraits::*trait);
std::vector<std::string> device_kinds_without(bool DeviceTraits::*trait);

/// Returns the descriptions of all kinds: "LibTorch on processor cores, ..., or nothing".
std::string text_of_device_kinds();
/// Returns the forms of devices' names, "cpu, cuda:N or null", with `number` behind the kinds that need a
/// GPU.
std::string text_of_device_forms(const std::string& number = ":N");

}  // namespace harness
