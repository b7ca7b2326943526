// The exchange of a CUDA device by NCCL.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "harness/gpu/exchange/device_exchange.h"

namespace harness {

/// Makes the exchange of the device with this index, which has the GPU `self` of the cluster; `wake` is
/// called by a thread of the lane. Throws DeviceError if the device cannot be used.
DeviceExchange make_nccl_exchange(int device, WorkerId self, std::function<void()> wake);
/// Is DeviceExchanges::make_channel_id for NCCL.
std::vector<std::byte> make_nccl_channel_id();

}  // namespace harness
