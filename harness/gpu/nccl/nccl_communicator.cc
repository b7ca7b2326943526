#include "harness/gpu/nccl/nccl_communicator.h"

#include <algorithm>
#include <utility>

#include "harness/core/check.h"
#include "harness/gpu/device/device_error.h"

namespace harness {

ncclUniqueId NcclCommunicator::make_id() {
  ncclUniqueId id;
  const ncclResult_t result = ncclGetUniqueId(&id);
  if (result != ncclSuccess)
    throw DeviceError(DeviceFault::kComputeFailed, {},
                      std::string("ncclGetUniqueId: ") + ncclGetErrorString(result));
  return id;
}

NcclCommunicator::NcclCommunicator(const ncclUniqueId& id, std::vector<WorkerId> members, WorkerId self,
                                   int device)
    : members_(std::move(members)), self_(self), device_(device) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  note("ncclCommInitRankConfig", "with " + std::to_string(members_.size()) + " members");
  check(
      ncclCommInitRankConfig(&communicator_, static_cast<int>(members_.size()), id, rank_of(self), &config));
}

NcclCommunicator::~NcclCommunicator() { abort(); }

NcclCommunicator::State NcclCommunicator::state() {
  if (communicator_ == nullptr) return State::kBroken;
  ncclResult_t now = ncclSuccess;
  const ncclResult_t asked = ncclCommGetAsyncError(communicator_, &now);
  if (asked != ncclSuccess) now = asked;
  if (now == ncclSuccess) return State::kReady;
  if (now == ncclInProgress) return State::kBusy;
  failure_ = "device cuda:" + std::to_string(device_) + ": " + last_call_ + ": " + ncclGetErrorString(now) +
             " (" + ncclGetLastError(communicator_) + ")";
  return State::kBroken;
}

void NcclCommunicator::send(std::span<const std::byte> bytes, WorkerId to, cudaStream_t stream) {
  note("ncclSend", "to worker " + std::to_string(to));
  check(ncclSend(bytes.data(), bytes.size(), ncclUint8, rank_of(to), communicator_, stream));
}

void NcclCommunicator::receive(std::span<std::byte> bytes, WorkerId from, cudaStream_t stream) {
  note("ncclRecv", "from worker " + std::to_string(from));
  check(ncclRecv(bytes.data(), bytes.size(), ncclUint8, rank_of(from), communicator_, stream));
}

void NcclCommunicator::begin_group() {
  note("ncclGroupStart", "");
  check(ncclGroupStart());
}

void NcclCommunicator::end_group() {
  note("ncclGroupEnd", "");
  check(ncclGroupEnd());
}

void NcclCommunicator::abort() {
  if (communicator_ == nullptr) return;
  // A failure of this call does not matter: the communicator is given up either way.
  (void)ncclCommAbort(communicator_);
  communicator_ = nullptr;
  if (failure_.empty()) failure_ = "the communicator was aborted";
}

int NcclCommunicator::rank_of(WorkerId worker) const {
  const auto found = std::ranges::find(members_, worker);
  HARNESS_CHECK(found != members_.end(), "a worker that is no member of the communicator");
  return static_cast<int>(found - members_.begin());
}

void NcclCommunicator::note(const std::string& call, const std::string& peers) {
  last_call_ = call + " by worker " + std::to_string(self_) + (peers.empty() ? "" : " ") + peers;
}

void NcclCommunicator::check(ncclResult_t result) const {
  if (result == ncclSuccess || result == ncclInProgress) return;
  throw DeviceError(DeviceFault::kComputeFailed, {"cuda:" + std::to_string(device_), {}, 0},
                    last_call_ + ": " + ncclGetErrorString(result));
}

}  // namespace harness
