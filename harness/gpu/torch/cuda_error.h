// Converts LibTorch's exceptions on a GPU to a device's.
#pragma once

#include <cuda_runtime_api.h>

#include "harness/gpu/torch/torch_error.h"

namespace harness {

/// Returns an error of LibTorch as an error of this place: a lost device if CUDA refuses everything else from
/// now on, else the result of from_torch(). Leaves no error behind in this thread.
DeviceError from_torch_cuda(const c10::Error& error, const DevicePlace& place);
/// Does the same for the exceptions of TorchScript's interpreter.
DeviceError from_torchscript_cuda(const std::runtime_error& error, const DevicePlace& place);

/// Returns what `call` returns; turns errors of LibTorch into DeviceErrors.
template <typename Call>
auto with_torch_cuda_errors(const DevicePlace& place, Call&& call) {
  try {
    return call();
  } catch (const c10::Error& error) {
    throw from_torch_cuda(error, place);
  } catch (const EnvironmentError&) {
    throw;
  } catch (const InputError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw from_torchscript_cuda(error, place);
  }
}

}  // namespace harness
