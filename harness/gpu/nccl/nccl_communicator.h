// One communicator of NCCL, with its calls checked.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/gpu/exchange/transfer.h"

namespace harness {

/// A membership in a communicator between workers; a worker's rank in it is its place among the members. Its
/// calls do not block: every function returns at once, and state() tells when it is done; until then only
/// abort() may be called. A failure throws a DeviceError "device cuda:0: ncclSend by worker 2 to worker 5:
/// what NCCL says". It is used by one thread, with the device as its current one.
class NcclCommunicator {
 public:
  enum class State : std::uint8_t {
    kReady,
    kBusy,   ///< a call is in progress: joining, or connecting to a peer for the first time
    kBroken  ///< failure() says why
  };

  /// Makes the identifier of a communicator: one member makes it, and all get it.
  static ncclUniqueId make_id();

  /// Starts to join; it is ready when all members have joined.
  NcclCommunicator(const ncclUniqueId& id, std::vector<WorkerId> members, WorkerId self, int device);
  /// Aborts and waits for no peer.
  ~NcclCommunicator();
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  State state();
  const std::string& failure() const { return failure_; }

  /// Enqueue an operation on the stream, whose head it occupies until the peer has enqueued its part. A
  /// worker's send to itself must be in one group with its receive.
  void send(std::span<const std::byte> bytes, WorkerId to, cudaStream_t stream);
  void receive(std::span<std::byte> bytes, WorkerId from, cudaStream_t stream);
  /// Begin and end a group: the calls between are enqueued as one operation.
  void begin_group();
  void end_group();
  /// Ends enqueued operations, done or not. The communicator is of no use any more.
  void abort();

 private:
  int rank_of(WorkerId worker) const;
  /// Notes the call that follows, for failures.
  void note(const std::string& call, const std::string& peers);
  /// Throws unless the noted call is a success, or in progress.
  void check(ncclResult_t result) const;

  std::vector<WorkerId> members_;
  WorkerId self_;
  int device_;
  ncclComm_t communicator_ = nullptr;
  std::string last_call_;
  std::string failure_;
};

}  // namespace harness
