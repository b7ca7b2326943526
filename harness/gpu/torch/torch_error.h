// LibTorch's exceptions as a device's.
#pragma once

#include <c10/util/Exception.h>

#include "harness/gpu/device_error.h"

namespace harness {

/// An error of LibTorch as one of this place: out of memory where it says so, else `otherwise`. Its backtrace
/// is left out.
DeviceError from_torch(const c10::Error& error, const DevicePlace& place,
                       DeviceFault otherwise = DeviceFault::kComputeFailed);

/// What `call` returns; errors of LibTorch become DeviceErrors.
template <typename Call>
auto with_torch_errors(const DevicePlace& place, Call&& call) {
  try {
    return call();
  } catch (const c10::Error& error) {
    throw from_torch(error, place);
  }
}

}  // namespace harness
