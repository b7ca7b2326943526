#include "harness/gpu/nccl/nccl_exchange.h"

#include <cstring>
#include <memory>
#include <utility>

#include "harness/gpu/nccl/device_tensor_memory.h"
#include "harness/gpu/nccl/nccl_communicator.h"
#include "harness/gpu/nccl/nccl_lane.h"

namespace harness {

DeviceExchange make_nccl_exchange(int device, WorkerId self, std::function<void()> wake) {
  DeviceExchange made;
  auto memory = std::make_unique<DeviceTensorMemory>(device);
  made.lane = std::make_unique<NcclLane>(device, self, std::move(wake), memory->allocated());
  made.memory = std::move(memory);
  return made;
}

std::vector<std::byte> make_nccl_channel_id() {
  const ncclUniqueId id = NcclCommunicator::make_id();
  std::vector<std::byte> bytes(sizeof id);
  std::memcpy(bytes.data(), &id, sizeof id);
  return bytes;
}

}  // namespace harness
