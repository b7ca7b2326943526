// How ends of batches come from a device's threads to the event loop.
#pragma once

#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "harness/gpu/device.h"

namespace harness {

/// A queue that any thread may push to and one thread takes from.
class EndedBatches {
 public:
  /// `wake` is called by push(), on its thread, when something stands here after nothing did: once for all
  /// that comes until the next take().
  explicit EndedBatches(Device::Wake wake) : wake_(std::move(wake)) {}

  void push(BatchEnd end) {
    {
      const std::lock_guard lock(mutex_);
      ended_.push_back(std::move(end));
      if (ended_.size() > 1) return;
    }
    if (wake_) wake_();
  }
  /// Appends all that was pushed, in the order of pushing; false when nothing was.
  bool take(std::vector<BatchEnd>& ended) {
    const std::lock_guard lock(mutex_);
    if (ended_.empty()) return false;
    ended.insert(ended.end(), std::move_iterator(ended_.begin()), std::move_iterator(ended_.end()));
    ended_.clear();
    return true;
  }

 private:
  Device::Wake wake_;
  std::mutex mutex_;
  std::vector<BatchEnd> ended_;
};

}  // namespace harness
