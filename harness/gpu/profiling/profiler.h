// Offline profiling of one model on one device (PARD section 5.1; SHEPHERD section 7.3 for exit points).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/profiling/timing.h"

namespace harness {

// Running single batches on a device and waiting for each: for the profiler, which has no event loop.

/// A batch that was waited for.
struct FinishedBatch {
  BatchEnd end;
  TimeNs submitted_ns = 0;  ///< before submit() was called
  TimeNs taken_ns = 0;      ///< after take() had shown its end
  TimeNs asked_ns = 0;      ///< when preempt() was called; 0: it was not

  /// What the device needed for it, at least 1 ns.
  TimeNs time_ns() const;
  /// What else it took to hand it over and to hear of its end.
  TimeNs handover_ns() const { return taken_ns - submitted_ns - (end.ended_ns - end.started_ns); }
};

/// One batch at a time of images with random bytes. `device` and `wait` outlive it; nothing else uses the
/// device meanwhile.
class BatchRunner {
 public:
  /// `most` images of one size, from a seed; the same again where all would be more than 256 MiB.
  BatchRunner(Device& device, DeviceWait& wait, int most, int height, int width, std::uint64_t seed);

  /// Runs a batch of 1..most images to its end, which may be a failure. Throws DeviceError as
  /// Device::submit(), EnvironmentError when no end comes within ten minutes.
  FinishedBatch run(DeviceModel model, int batch);
  /// The same, asked to stop `after_ns` after its submission unless it has ended before.
  FinishedBatch run_preempted(DeviceModel model, int batch, TimeNs after_ns);

  Device& device() { return device_; }
  DeviceWait& wait() { return wait_; }

 private:
  void submit(DeviceModel model, int batch, FinishedBatch& finished);
  bool take(FinishedBatch& finished);
  void finish(FinishedBatch& finished, int batch);

  Device& device_;
  DeviceWait& wait_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Image> images_;
  std::vector<BatchEnd> ended_;
  std::uint64_t next_tag_ = 1;
};

struct ProfileParams {
  std::vector<int> batches;  ///< sizes to measure, rising from 1
  int image_height = 224;    ///< of the images that are sent; the device resizes them to the model's input
  int image_width = 224;
  RepeatRule rule;       ///< for all sizes of a model together
  int preemptions = 40;  ///< of each size, for a model with exit points
};

/// 1, 2, 3, 4, 6, 8, 12, ...: powers of two and the steps between, up to `most` and `most` itself.
std::vector<int> usual_batches(int most);

/// Latency of a batch of a size: BatchEnd's ended_ns - started_ns of a batch that runs alone.
struct BatchLatency {
  int batch = 0;
  TimingSummary time;
};

/// What exit points cost and bring (SHEPHERD, Figure 12): both shares are of the plain model's median latency
/// of the same size, averaged over the sizes.
struct ExitPointCost {
  int exit_points = 0;
  double overhead =
      0;  ///< SHEPHERD's execution delay: by how much a batch that is not preempted takes longer
  double largest_overhead = 0;  ///< over the sizes
  double delay_share = 0;  ///< preemption delay, from the request to the batch's end, its mean over moments
  TimeNs delay_median_ns = 0;  ///< over all sizes and moments
  TimeNs delay_p99_ns = 0;
  int stopped = 0;  ///< batches that ended early
  int ran_out = 0;  ///< batches that had been asked in time, but no exit point was left
};

/// What was found out about a model.
struct ModelProfile {
  std::string model;
  std::string device;
  std::vector<BatchLatency> sizes;  ///< rising from 1; of the model without exit points
  std::optional<LatencyFit> fit;    ///< nothing below three sizes
  TimeNs load_ns = 0;               ///< of Device::load(), its first run included
  std::uint64_t model_bytes = 0;    ///< parameters and buffers
  std::uint64_t input_bytes = 0;    ///< that the device's input buffers grew by
  TimeNs handover_ns = 0;           ///< median of FinishedBatch::handover_ns() of batches of 1
  StoppedBy stopped_by = StoppedBy::kNarrow;
  double drift = 0;       ///< RepeatedTimes::drift()
  int refused_batch = 0;  ///< the least size that was too much for the device's memory; 0: none
  std::optional<ExitPointCost> exit_points;  ///< when `source` asked for exit points and the model has some
  std::vector<std::string> notes;            ///< what Device::notes() has said since the model was loaded
};

/// A batch that failed; what() is BatchEnd::failure.
class BatchFailed : public EnvironmentError {
 public:
  explicit BatchFailed(const BatchEnd& end) : EnvironmentError(end.failure), fault_(end.fault) {}
  DeviceFault fault() const { return fault_; }

 private:
  DeviceFault fault_;
};

/// Loads `source` on the device, for the largest of the sizes and without exit points, and times each size;
/// when source.exit_points is not 0, loads it once more with them and times both models in the same rounds,
/// then preempts batches at moments spread evenly over their time. Sizes too large for the device's memory
/// are left out. Throws DeviceError when the model cannot be loaded, BatchFailed when a batch of another size
/// fails.
ModelProfile profile_model(Device& device, DeviceWait& wait, const ModelSource& source,
                           const ProfileParams& params);

}  // namespace harness
