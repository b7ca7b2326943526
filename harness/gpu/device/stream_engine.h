// Runs batches for a StreamDevice, segment by segment.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/device/device_clock.h"
#include "harness/gpu/device/model_source.h"

namespace harness {

/// Runs the batches of a StreamDevice. All functions are called on the device's thread. If the device runs by
/// itself, as a GPU does, only load() waits for it; if the device is this thread, enqueue() computes. A batch
/// is named by its slot, 0..Device::kMaxOutstanding - 1, from begin() to release(); prepared images in a slot
/// belong to its next batch. The segments of a batch lie between its model's exit points and run in order;
/// the segments of all batches run in the order of enqueue().
///
/// An exception fails the batch or the load that the call is for, unless it is a DeviceError of a lost
/// device; errors need not name model and batch.
class StreamEngine {
 public:
  virtual ~StreamEngine() = default;
  StreamEngine(const StreamEngine&) = delete;
  StreamEngine& operator=(const StreamEngine&) = delete;

  /// Loads a model and returns the number of exit points that it runs with. The model's handle is the number
  /// of loads that have succeeded before. No batch is outstanding.
  virtual int load(const ModelSource& source, const DevicePlace& place) = 0;
  virtual MemoryUse memory() const = 0;
  /// Returns the lines of Device::notes().
  virtual std::vector<std::string> notes() const = 0;

  /// True if inputs are copied while a batch runs; if false, prepare() is not called.
  virtual bool copies_ahead() const { return true; }
  /// Announces an image that the slot's next batch may have.
  virtual void prepare(int slot, DeviceModel model, const Image& image) = 0;
  /// Begins the slot's batch. The images stay until release().
  virtual void begin(int slot, DeviceModel model, std::span<const Image> images) = 0;
  /// Copies a piece of what prepare() and begin() have left to copy; this takes at most some ten microseconds
  /// of the host's time. Returns false if nothing was left: then the first segment may be enqueued.
  virtual bool copy_some(int slot) = 0;

  virtual void enqueue(int slot, int segment) = 0;
  /// True if the device is done with a segment, one of the last two that were enqueued.
  virtual bool passed(int slot, int segment) = 0;

  /// Returns when the first `segments` of the batch ran: they are all that were enqueued, at least one, and
  /// have passed.
  virtual DeviceSpan span(int slot, int segments) = 0;
  /// Called once all segments have passed: gives the output to whoever wants it, and returns
  /// BatchEnd::outputs.
  virtual StoredTensor hand_out(int slot, std::uint64_t tag) = 0;
  /// Frees the slot and forgets its prepared images.
  virtual void release(int slot) = 0;

 protected:
  StreamEngine() = default;
};

}  // namespace harness
