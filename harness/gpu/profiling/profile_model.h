// Offline profiling of one model on one device (PARD section 5.1; SHEPHERD section 7.3 for exit points).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/device/model_source.h"
#include "harness/gpu/profiling/device_wait.h"
#include "harness/gpu/profiling/latency_fit.h"
#include "harness/gpu/profiling/repeated_times.h"
#include "harness/gpu/profiling/timing_summary.h"

namespace harness {

struct ProfileParams {
  std::vector<int> batches;  ///< sizes to measure, rising from 1
  int image_height = 224;    ///< height of the images that are sent; the device resizes them for the model
  int image_width = 224;
  RepeatRule rule;       ///< rule for all sizes of a model together
  int preemptions = 40;  ///< number of preemptions of each size, for a model with exit points
};

/// Returns 1, 2, 3, 4, 6, 8, 12, ...: powers of two and the steps between, up to `most` and `most` itself.
std::vector<int> usual_batches(int most);

/// The latency of one batch size: BatchEnd's ended_ns - started_ns of a batch that runs alone.
struct BatchLatency {
  int batch = 0;
  TimingSummary time;
};

/// The cost and the benefit of exit points (SHEPHERD, Figure 12): both shares are shares of the plain model's
/// median latency at the same size, averaged over the sizes.
struct ExitPointCost {
  int exit_points = 0;
  /// SHEPHERD's execution delay: by how much a batch that is not preempted takes longer.
  double overhead = 0;
  double largest_overhead = 0;  ///< largest overhead of a size
  /// The preemption delay, from the request to the batch's end: its mean over the moments of preemption.
  double delay_share = 0;
  TimeNs delay_median_ns = 0;  ///< median delay over all sizes and moments
  TimeNs delay_p99_ns = 0;
  int stopped = 0;  ///< number of batches that ended early
  int ran_out = 0;  ///< number of batches that were asked in time, but had no exit point left
};

/// The result of profiling a model.
struct ModelProfile {
  std::string model;
  std::string device;
  std::vector<BatchLatency> sizes;  ///< latencies of the model without exit points; sizes rise from 1
  std::optional<LatencyFit> fit;    ///< line through the latencies; nullopt below three sizes
  TimeNs load_ns = 0;               ///< time of Device::load(), including its first run
  std::uint64_t model_bytes = 0;    ///< size of parameters and buffers
  std::uint64_t input_bytes = 0;    ///< growth of the device's input buffers
  TimeNs handover_ns = 0;           ///< median of FinishedBatch::handover_ns() of batches of 1
  StoppedBy stopped_by = StoppedBy::kNarrow;
  double drift = 0;       ///< RepeatedTimes::drift()
  int refused_batch = 0;  ///< smallest size that was too large for the device's memory; 0: all sizes fit
  /// Set if `source` asked for exit points and the model has some.
  std::optional<ExitPointCost> exit_points;
  std::vector<std::string> notes;  ///< lines of Device::notes() since the model was loaded
};

/// A batch that failed; what() is BatchEnd::failure.
class BatchFailed : public EnvironmentError {
 public:
  explicit BatchFailed(const BatchEnd& end) : EnvironmentError(end.failure), fault_(end.fault) {}
  DeviceFault fault() const { return fault_; }

 private:
  DeviceFault fault_;
};

/// Loads `source` on the device, for the largest of the sizes and without exit points, and times each size.
/// If source.exit_points is not 0, loads it once more with them and times both models in the same rounds,
/// then preempts batches at moments spread evenly over their time. Sizes too large for the device's memory
/// are left out. Throws DeviceError if the model cannot be loaded, BatchFailed if a batch fails for another
/// reason or even a single image is too large for the memory.
ModelProfile profile_model(Device& device, DeviceWait& wait, const ModelSource& source,
                           const ProfileParams& params);

}  // namespace harness
