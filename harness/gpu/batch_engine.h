// What computes batches on the thread of a ThreadedDevice.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "harness/gpu/device.h"

namespace harness {

/// A batch that was submitted. Constant while it is outstanding, but for `stop`.
struct SubmittedBatch {
  std::uint64_t tag = 0;
  DeviceModel model = 0;
  DevicePlace place;  ///< for errors
  std::vector<Picture> pictures;
  std::atomic<bool> stop = false;  ///< it is to stop at its next exit point
};

/// Everything is called on the device's thread, one call after another.
class BatchEngine {
 public:
  virtual ~BatchEngine() = default;

  /// Loads a model, whose handle is how many loads have succeeded before. Returns how many exit points it
  /// runs with. What it throws fails this load alone, unless it is a DeviceError of a lost device.
  virtual int load(const ModelSource& source, const DevicePlace& place) = 0;

  /// Runs a batch of a loaded model to its end; false when it stopped at an exit point. What it throws fails
  /// this batch, likewise.
  virtual bool run(const SubmittedBatch& batch) = 0;

  virtual MemoryUse memory() const = 0;

 protected:
  BatchEngine() = default;
  BatchEngine(const BatchEngine&) = default;
  BatchEngine& operator=(const BatchEngine&) = default;
};

}  // namespace harness
