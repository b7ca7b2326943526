#include "harness/gpu/cuda/cuda_gpus.h"

#include <cuda_runtime_api.h>

#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/gpu/cuda/cuda_check.h"

namespace harness {
namespace {

constexpr int kMinMajor = 8;

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string description_of(const cudaDeviceProp& gpu) {
  int driver = 0;
  int runtime = 0;
  cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion", "listing GPUs");
  cuda_check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion", "listing GPUs");
  return std::string(gpu.name) + ", " + std::to_string(gpu.totalGlobalMem >> 20) + " MiB, " +
         std::to_string(gpu.multiProcessorCount) + " multiprocessors, compute capability " +
         std::to_string(gpu.major) + "." + std::to_string(gpu.minor) + ", CUDA " + version_text(runtime) +
         ", driver for " + version_text(driver);
}

DeviceInfo info_of(int index) {
  cudaDeviceProp gpu{};
  cuda_check(cudaGetDeviceProperties(&gpu, index), "cudaGetDeviceProperties", "listing GPUs");
  DeviceInfo info{DeviceKind::kCuda, "cuda:" + std::to_string(index), gpu.major >= kMinMajor,
                  description_of(gpu)};
  if (!info.is_usable) info.description += "; too old: 8.0 or more is needed";
  char bus_id[32] = "";
  cuda_check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, index), "cudaDeviceGetPCIBusId", "listing GPUs");
  info.bus_id = bus_id;
  return info;
}

int gpu_count() {
  int count = 0;
  cuda_check(cudaGetDeviceCount(&count), "cudaGetDeviceCount", "looking for GPUs");
  return count;
}

}  // namespace

std::string why_no_cuda_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    return cudaGetErrorString(status);
  }
  return count > 0 ? "" : "the driver shows no device";
}

std::vector<DeviceInfo> list_cuda_gpus() {
  const std::string why = why_no_cuda_device();
  if (!why.empty()) return {{DeviceKind::kCuda, name_of(DeviceKind::kCuda), false, "no GPU: " + why}};
  std::vector<DeviceInfo> infos;
  for (int index = 0; index < gpu_count(); ++index) infos.push_back(info_of(index));
  return infos;
}

std::string cuda_gpu_name(int index) {
  const std::string name = "cuda:" + std::to_string(index);
  const std::string why = why_no_cuda_device();
  if (!why.empty())
    throw input_error({"", 0, "device"}, name,
                      join_names(device_kinds_without(&DeviceTraits::needs_gpu)) + "; no GPU: " + why);
  const int count = gpu_count();
  if (index < 0 || index >= count)
    throw input_error({"", 0, "device"}, name, "cuda:0 to cuda:" + std::to_string(count - 1));
  cudaDeviceProp gpu{};
  cuda_check(cudaGetDeviceProperties(&gpu, index), "cudaGetDeviceProperties", "naming a GPU");
  if (gpu.major < kMinMajor)
    throw input_error({"", 0, "device"}, name + " " + gpu.name, "GPUs of compute capability 8.0 or more");
  return name + " " + gpu.name;
}

}  // namespace harness
