// How ends of batches come from a device's threads to the event loop.
#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "harness/gpu/device.h"

namespace harness {

/// A queue that any thread may push to and one thread takes from; neither ever waits for the other.
class EndedBatches {
 public:
  /// `wake` is called by push(), on its thread, when something stands here after nothing did: once for all
  /// that comes until the next take().
  explicit EndedBatches(Device::Wake wake) : wake_(std::move(wake)) {}
  /// No other thread may use it any more.
  ~EndedBatches();
  EndedBatches(const EndedBatches&) = delete;
  EndedBatches& operator=(const EndedBatches&) = delete;

  void push(BatchEnd end);
  /// Appends all that was pushed, in the order of pushing; false when nothing was.
  bool take(std::vector<BatchEnd>& ended);

 private:
  struct Node {
    BatchEnd end;
    Node* older = nullptr;
  };

  Device::Wake wake_;
  std::atomic<Node*> newest_ = nullptr;
};

}  // namespace harness
