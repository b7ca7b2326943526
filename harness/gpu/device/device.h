// The execution layer as the live runtime sees it: the interface of a device, which loads models and runs
// batches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/core/types.h"
#include "harness/gpu/device/device_activity.h"
#include "harness/gpu/device/device_error.h"
#include "harness/gpu/device/model_source.h"
#include "harness/gpu/exchange/stored_tensor.h"
#include "harness/gpu/inputs/image.h"

namespace harness {

struct BatchEnd;
struct MemoryUse;

/// The handle of a loaded model: 0, 1, ... in the order of loading. It is valid for the device's lifetime.
using DeviceModel = std::uint32_t;

/// One GPU or a substitute, which runs batches one after another in the order of submission. Only one thread,
/// the event loop's, uses it; no call but load() waits for the device.
///
/// Each submitted batch ends exactly once, in that order: it has run, was preempted, or failed. A failed
/// batch does not affect the others, unless the device is lost: then all outstanding batches fail.
///
/// The destructor stops at the next exit point, drops outstanding batches, and returns only when the device's
/// threads can no longer call `wake`.
class Device {
 public:
  /// The number of batches that may be submitted and not yet taken: one runs while the inputs of the next are
  /// prepared.
  static constexpr int kMaxOutstanding = 2;

  /// Tells the event loop that take() has something to return. It is called by the device's threads, or from
  /// within submit() and preempt(); it must be quick, and must not call the device.
  using Wake = std::function<void()>;

  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Loads a model and runs it, so that its first batch is as fast as the others. Waits for that and for all
  /// outstanding batches, so call it before requests arrive. Throws DeviceError, also if the model has fewer
  /// exit points than asked for; the models already loaded stay.
  virtual DeviceModel load(const ModelSource& source) = 0;

  /// Returns the number of exit points that the loaded model runs with.
  virtual int exit_points(DeviceModel model) const = 0;

  /// Has the device run `model` on 1..max_batch images; their bytes must stay in place until take() has
  /// returned the batch's end. The caller chooses `tag`, which no outstanding batch may have. Throws
  /// DeviceError if the batch cannot run at all (no such model, too many or no images, an image whose bytes
  /// do not match its size, a lost device): it has then not been submitted. Submitting a third outstanding
  /// batch is a bug.
  virtual void submit(std::uint64_t tag, DeviceModel model, std::span<const Image> images) = 0;

  /// Announces that this image will be in the next submitted batch of that model, so that the device may
  /// begin to copy it while another batch runs. Its bytes must stay until that batch has ended. submit() does
  /// not copy images again that were prepared, in the order of prepare() and as the same bytes; other images
  /// count as never prepared. Never fails: an image that cannot be prepared is copied later, or refused by
  /// submit().
  virtual void prepare(DeviceModel /*model*/, const Image& /*image*/) {}

  /// Asks the batch to stop at its next exit point (SHEPHERD, section 6), after the segments that the device
  /// already has: a GPU has up to two, even of a batch that waits behind another. A batch of which the device
  /// has nothing does not run at all. The call may come too late: the batch has then ended, or ends as if
  /// never asked.
  virtual void preempt(std::uint64_t tag) = 0;

  /// Appends the batches that have ended since the last call, in order; returns false if no batch has. Never
  /// waits.
  virtual bool take(std::vector<BatchEnd>& ended) = 0;

  virtual MemoryUse memory() const = 0;

  /// Returns what the device computes now, for a DeviceWatch; it may be kept beyond the device's end. Null if
  /// the device never takes long.
  virtual std::shared_ptr<const DeviceActivity> activity() const { return nullptr; }

  /// Returns what a user should know about the loaded models, one line each: for example which batch sizes
  /// run without a CUDA graph, and why.
  virtual std::vector<std::string> notes() const { return {}; }

  /// Returns the device's name in messages and results: "cpu", "cuda:0 NVIDIA H100", or "cpu (worker 3)" in a
  /// cell.
  virtual std::string name() const = 0;

 protected:
  Device() = default;
};

/// The end of a submitted batch. Times are on the host's steady clock (CLOCK_MONOTONIC), even if the device
/// has a clock of its own.
struct BatchEnd {
  std::uint64_t tag = 0;
  TimeNs started_ns = 0;  ///< time at which the device turned to it; not before the end of the previous batch
  TimeNs ended_ns = 0;    ///< time at which its outputs were there, or it stopped; never before started_ns
  bool preempted = false;  ///< true if it stopped early: there are no outputs
  std::string failure;     ///< message of the DeviceError; empty: the batch succeeded or was preempted
  DeviceFault fault = DeviceFault::kNoFault;
  /// Holds, in the host's memory, ModelSource::output_bytes for each image, one after another: the bytes that
  /// the network has computed from the image, repeated up to that size. Empty if the device computes nothing,
  /// or if the batch did not run to its end.
  StoredTensor outputs{};
};

/// The use of the device's memory.
struct MemoryUse {
  std::uint64_t capacity_bytes = 0;        ///< bytes of the device's whole memory; 0: unknown
  std::uint64_t input_bytes = 0;           ///< bytes of the buffers that batches are assembled in
  std::vector<std::uint64_t> model_bytes;  ///< bytes of parameters and buffers, by DeviceModel
};

}  // namespace harness
