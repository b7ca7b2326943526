// The lane of a CUDA device: it brings tensors from GPU to GPU by NCCL.
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
#include "harness/gpu/exchange/transfer_lane.h"
#include "harness/gpu/nccl/nccl_communicator.h"

namespace harness {

/// A lane of one stream and one thread, which makes all NCCL calls, so that neither the first connection to a
/// peer nor a lost peer holds up the event loop. The thread polls while something is under way and sleeps
/// otherwise. It has never run on two GPUs: NCCL refuses two ranks on one GPU, on which only opening and
/// aborting can run.
class NcclLane final : public ChannelLane {
 public:
  /// Makes the lane; its thread calls `wake` when there is something to take. Operations wait for the last
  /// record of `allocated` (DeviceTensorMemory::allocated()); if it is null they wait for nothing. Makes the
  /// device the calling thread's current one; throws DeviceError if it cannot be used.
  NcclLane(int device, WorkerId self, std::function<void()> wake,
           std::shared_ptr<const CudaEvent> allocated = nullptr);
  /// Aborts all operations that are under way.
  ~NcclLane() override;

  /// Opens a channel; NcclCommunicator::make_id() has made `id`.
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
    std::optional<CudaEvent> done = {};  ///< event that is recorded once it is enqueued
    std::string failure = {};
  };
  struct Opening {
    ChannelId channel = 0;
    ncclUniqueId id = {};
    std::vector<WorkerId> members;
  };

  void add(std::uint64_t ticket, ChannelId channel,
           std::function<void(NcclCommunicator&, cudaStream_t)> launch);

  // Called on the lane's thread.
  void run();
  /// Does one round over all that is under way; returns false if there is nothing.
  bool turn();
  void take_requests();
  void watch_joining();
  void watch_launching();
  void launch_next();
  void watch_running();
  /// Gives up the channel's communicator. Its enqueued operations end with this failure, unless they are
  /// complete.
  void give_up(ChannelId channel, std::string why);
  /// Marks the point of the stream after which the operation has run, and returns true; if that fails, sets
  /// the operation's failure and returns false.
  bool mark_enqueued(Operation& operation);
  /// Ends an operation that may be enqueued, if nothing can tell when the stream has passed it: gives up all
  /// channels first, which empties the stream.
  void end_unmarked(Operation operation);
  /// Ends the operation with its failure, and its channel too.
  void fail(Operation operation);
  void end(Operation operation);
  void tell_opened(ChannelId channel, const std::string& failure);

  int device_;
  WorkerId self_;
  std::function<void()> wake_;
  std::shared_ptr<const CudaEvent> allocated_;

  // Used by the lane's thread alone.
  std::unique_ptr<CudaStream> stream_;
  std::vector<CudaEvent> events_;  ///< events that are not in use
  std::map<ChannelId, std::unique_ptr<NcclCommunicator>> communicators_;
  std::vector<ChannelId> joining_;
  std::deque<Operation> waiting_;
  std::deque<Operation> launching_;  ///< at most one operation: called, and not yet known to be enqueued
  std::deque<Operation> running_;    ///< enqueued operations, in order

  // Shared between threads; guarded by the mutex.
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
