// Converts LibTorch's exceptions to a device's.
#pragma once

#include <c10/util/Exception.h>

#include <stdexcept>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/gpu/device/device_error.h"

namespace harness {

/// Returns an error of LibTorch as an error of this place: out of memory if its text says so, else
/// `otherwise`. Its backtrace is left out.
DeviceError from_torch(const c10::Error& error, const DevicePlace& place,
                       DeviceFault otherwise = DeviceFault::kComputeFailed);

/// Does the same for the exceptions of TorchScript's interpreter: a traceback that ends with the error.
DeviceError from_torchscript(const std::runtime_error& error, const DevicePlace& place);

/// Returns what `call` returns; turns errors of LibTorch into DeviceErrors.
template <typename Call>
auto with_torch_errors(const DevicePlace& place, Call&& call) {
  try {
    return call();
  } catch (const c10::Error& error) {
    throw from_torch(error, place);
  } catch (const EnvironmentError&) {
    throw;
  } catch (const InputError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw from_torchscript(error, place);
  }
}

}  // namespace harness
