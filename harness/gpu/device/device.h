// The execution layer as the live runtime sees it: what loads models and runs batches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/gpu/device/device_error.h"
#include "harness/gpu/device/device_watch.h"
#include "harness/gpu/exchange/tensor_store.h"
#include "harness/gpu/inputs/image.h"

namespace harness {

/// ModelSource::exit_points for all that the model has.
inline constexpr int kAllExitPoints = -1;

/// A model and how it is to be run.
struct ModelSource {
  std::string model;       ///< a name of the zoo; with `file` only what messages call it
  std::string file;        ///< a TorchScript file of the user; empty: the zoo's model
  std::uint64_t seed = 1;  ///< of the zoo's random weights
  int max_batch = 1;       ///< of the batches that will be submitted; at least 1
  /// Sizes up to max_batch, rising, that are to be as fast as the device can: where it makes each size ready
  /// (a CUDA graph), others take longer. Empty: all.
  std::vector<int> batches;
  int exit_points = 0;   ///< at which a batch can stop (SHEPHERD, Table 4), evenly in time if that is known
  int input_height = 0;  ///< pixels that images are resized to; 0: the model's own, a file has none
  int input_width = 0;
  /// What each image of a batch leaves behind for other models (BatchEnd::outputs); 0: nothing.
  std::size_t output_bytes = 0;
  /// In half precision the zoo's convolutions have their batch normalisation folded in, and images are
  /// channels last.
  Precision precision = Precision::kFp32;

  bool operator==(const ModelSource&) const = default;
};

/// Handle of a loaded model, from 0 in order of loading. Good for the device's lifetime.
using DeviceModel = std::uint32_t;

/// How a submitted batch ended. Times are of the host's steady clock (CLOCK_MONOTONIC), also where a device
/// has a clock of its own.
struct BatchEnd {
  std::uint64_t tag = 0;
  TimeNs started_ns = 0;   ///< the device turned to it; not before the end of the batch before
  TimeNs ended_ns = 0;     ///< its outputs were there, or it stopped; never before started_ns
  bool preempted = false;  ///< it stopped early: there are no outputs
  std::string failure;     ///< what() of a DeviceError; empty: all went well, or preempted
  DeviceFault fault = DeviceFault::kNoFault;
  /// In the host's memory, ModelSource::output_bytes of each image, one after another: the bytes of what the
  /// network has made of it, again and again up to that size. None of a device that computes nothing, or of a
  /// batch that did not run to its end.
  StoredTensor outputs{};
};

/// Bytes on the device.
struct MemoryUse {
  std::uint64_t capacity_bytes = 0;        ///< of the device, 0: unknown
  std::uint64_t input_bytes = 0;           ///< buffers that batches are assembled in
  std::vector<std::uint64_t> model_bytes;  ///< parameters and buffers by DeviceModel
};

/// One GPU or a substitute, which runs batches one after another in the order of submission. Used by one
/// thread, the event loop's; nothing but load() waits for the device.
///
/// Each submitted batch ends exactly once, in that order: run, preempted or failed. A batch that fails leaves
/// the others as they are, unless the device is lost: then all that are outstanding fail.
///
/// The destructor stops at the next exit point, drops what is outstanding, and does not return while one of
/// the device's threads may still call `wake`.
class Device {
 public:
  /// Batches that may be submitted and not yet taken: one runs while the inputs of the next are prepared.
  static constexpr int kMaxOutstanding = 2;

  /// Tells the event loop that take() has something. Called by the device's threads, or from within submit()
  /// and preempt(); must be quick, and must call nothing of the device.
  using Wake = std::function<void()>;

  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Loads a model and runs it, so that the first batch is as fast as the others. Waits for that and for
  /// what is outstanding, so do it before the load starts. Throws DeviceError, also when the model has fewer
  /// exit points than asked for; the models already loaded stay.
  virtual DeviceModel load(const ModelSource& source) = 0;

  /// Exit points that the loaded model runs with.
  virtual int exit_points(DeviceModel model) const = 0;

  /// Has the device run `model` on 1..max_batch images; their bytes stay in place until take() has shown
  /// the batch's end. `tag` is the caller's, of no outstanding batch. Throws DeviceError when the batch
  /// cannot run at all (no such model, too many or no images, an image whose bytes are not its size, a
  /// lost device): it has then not been submitted. A third outstanding batch is a bug.
  virtual void submit(std::uint64_t tag, DeviceModel model, std::span<const Image> images) = 0;

  /// This image will be in the next batch submitted of that model, so the device may begin to copy it while
  /// another batch runs. Its bytes stay until that batch has ended. submit() decides: images that were
  /// prepared, in the order of prepare() and as the same bytes, are not copied again; anything else is as if
  /// never prepared. Never fails: what cannot be prepared is copied later, or refused by submit().
  virtual void prepare(DeviceModel /*model*/, const Image& /*image*/) {}

  /// Asks the batch to stop at its next exit point (SHEPHERD, section 6), after what the device has of it
  /// already: a GPU up to two segments, also of a batch that waits behind another. One of which the device
  /// has nothing does not run at all. May come too late: the batch then ends as if never asked, or has ended.
  virtual void preempt(std::uint64_t tag) = 0;

  /// Appends the batches that have ended since the last call, in order; false when none has. Never waits.
  virtual bool take(std::vector<BatchEnd>& ended) = 0;

  virtual MemoryUse memory() const = 0;

  /// What it computes now, for a DeviceWatch; may be kept beyond the device's end. Null: it never takes long.
  virtual std::shared_ptr<const DeviceActivity> activity() const { return nullptr; }

  /// What a user should know of the loaded models, a line each: such as those that run without a CUDA graph,
  /// and why.
  virtual std::vector<std::string> notes() const { return {}; }

  /// As messages and results call it: "cpu", "cuda:0 NVIDIA H100", in a cell "cpu (worker 3)".
  virtual std::string name() const = 0;

 protected:
  Device() = default;
};

}  // namespace harness
