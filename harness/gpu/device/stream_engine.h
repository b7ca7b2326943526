// What runs batches for a StreamDevice, segment by segment.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/device/device_clock.h"

namespace harness {

/// Everything is called on the device's thread. Where the device runs by itself, as a GPU does, nothing but
/// load() waits for it; where it is this thread, enqueue() computes. A batch is named by its slot,
/// 0..Device::kMaxOutstanding - 1, from begin() to release(); what a slot holds of prepared images is its
/// next batch's. A batch's segments are those between its model's exit points, in order, and all batches'
/// segments run in the order of enqueue().
///
/// What a call throws fails the batch that it is for, or the load, unless it is a DeviceError of a lost
/// device; errors need not name model and batch.
class StreamEngine {
 public:
  virtual ~StreamEngine() = default;
  StreamEngine(const StreamEngine&) = delete;
  StreamEngine& operator=(const StreamEngine&) = delete;

  /// Loads a model, whose handle is how many loads have succeeded before; nothing is outstanding. Returns how
  /// many exit points it runs with.
  virtual int load(const ModelSource& source, const DevicePlace& place) = 0;
  virtual MemoryUse memory() const = 0;
  /// As Device::notes().
  virtual std::vector<std::string> notes() const = 0;

  /// Whether inputs are copied while a batch runs; where not, prepare() is not called.
  virtual bool copies_ahead() const { return true; }
  /// The slot's next batch may have this image.
  virtual void prepare(int slot, DeviceModel model, const Image& image) = 0;
  /// The slot's batch. The images stay until release().
  virtual void begin(int slot, DeviceModel model, std::span<const Image> images) = 0;
  /// Copies a piece of what prepare() and begin() have left to copy: of the host's time no more than some ten
  /// microseconds. False when there was nothing; the first segment may be enqueued then.
  virtual bool copy_some(int slot) = 0;

  virtual void enqueue(int slot, int segment) = 0;
  /// Whether the device is done with a segment, one of the last two that were enqueued.
  virtual bool passed(int slot, int segment) = 0;

  /// When the first `segments` of the batch, all that were enqueued and at least one, ran. They have passed.
  virtual DeviceSpan span(int slot, int segments) = 0;
  /// All segments have passed: whoever wants the output gets it, and BatchEnd::outputs are returned.
  virtual StoredTensor hand_out(int slot, std::uint64_t tag) = 0;
  /// The slot is free; prepared images are forgotten.
  virtual void release(int slot) = 0;

 protected:
  StreamEngine() = default;
};

}  // namespace harness
