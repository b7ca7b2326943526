// The lane of a CUDA device: tensors from GPU to GPU by NCCL.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/gpu/cuda/cuda_stream.h"
#include "harness/gpu/exchange/device_exchange.h"
#include "harness/gpu/nccl/nccl_communicator.h"

namespace harness {

/// One stream and one thread, which makes all NCCL calls, so that neither the first connection to a peer
/// nor a peer that is lost holds up the event loop. It polls while something is under way and sleeps
/// otherwise. Nothing of it has run on two GPUs: NCCL refuses two ranks on one, where only opening and aborts
/// can.
class NcclLane final : public ChannelLane {
 public:
  /// `wake` is called by the lane's thread when there is something to take. `allocated`: operations wait for
  /// its last record (DeviceTensorMemory::allocated()); null: for nothing. Makes the device the calling
  /// thread's current one; throws DeviceError when it cannot be used.
  NcclLane(int device, WorkerId self, std::function<void()> wake,
           std::shared_ptr<const CudaEvent> allocated = nullptr);
  /// Aborts what is under way.
  ~NcclLane() override;

  /// An id that NcclCommunicator::make_id() has made.
  void open(ChannelId channel, const ncclUniqueId& id, std::vector<WorkerId> members);
  void open(ChannelId channel, std::span<const std::byte> id, std::vector<WorkerId> members) override;
  std::vector<std::pair<ChannelId, std::string>> opened() override;

  void send(std::uint64_t ticket, ChannelId channel, WorkerId to, std::span<const std::byte> bytes) override;
  void receive(std::uint64_t ticket, ChannelId channel, WorkerId from, std::span<std::byte> bytes) override;
  void abort(ChannelId channel) override;
  void take(std::vector<LaneEnd>& ended) override;

 private:
  struct Operation {
    std::uint64_t ticket = 0;
    ChannelId channel = 0;
    std::function<void(NcclCommunicator&, cudaStream_t)> launch;
    std::optional<CudaEvent> done = {};  ///< recorded once it is enqueued
    std::string failure = {};
  };
  struct Opening {
    ChannelId channel = 0;
    ncclUniqueId id = {};
    std::vector<WorkerId> members;
  };

  void add(std::uint64_t ticket, ChannelId channel,
           std::function<void(NcclCommunicator&, cudaStream_t)> launch);

  // On the lane's thread.
  void run();
  /// One round over all that is under way; false when nothing is.
  bool turn();
  void take_requests();
  void watch_joining();
  void watch_launching();
  void launch_next();
  void watch_running();
  /// Gives the channel's communicator up. What it has enqueued ends with this failure, unless it is
  /// complete.
  void give_up(ChannelId channel, std::string why);
  /// Lets it run once the stream has passed this point; false, with the failure, when that cannot be
  /// marked.
  bool mark_enqueued(Operation& operation);
  /// Ends an operation that may be enqueued, where nothing can tell when the stream has passed it: after all
  /// channels have been given up, which empties the stream.
  void end_unmarked(Operation operation);
  /// Ends it with its failure, and its channel too.
  void fail(Operation operation);
  void end(Operation operation);
  void tell_opened(ChannelId channel, const std::string& failure);

  int device_;
  WorkerId self_;
  std::function<void()> wake_;
  std::shared_ptr<const CudaEvent> allocated_;

  // The thread's own.
  std::unique_ptr<CudaStream> stream_;
  std::vector<CudaEvent> events_;  ///< not in use
  std::map<ChannelId, std::unique_ptr<NcclCommunicator>> communicators_;
  std::vector<ChannelId> joining_;
  std::deque<Operation> waiting_;
  std::deque<Operation> launching_;  ///< at most one: called, and not yet known to be enqueued
  std::deque<Operation> running_;    ///< enqueued, in order

  // Shared, under the mutex.
  std::mutex mutex_;
  std::condition_variable requested_;
  bool stops_ = false;
  std::vector<Opening> to_open_;
  std::vector<Operation> to_launch_;
  std::vector<ChannelId> to_abort_;
  std::vector<LaneEnd> ended_;
  std::vector<std::pair<ChannelId, std::string>> opened_;

  std::thread thread_;
};

}  // namespace harness
