// Runs of single batches on a device, each waited for: for the profiler, which has no event loop.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/gpu/device/device.h"
#include "harness/gpu/profiling/device_wait.h"

namespace harness {

struct FinishedBatch;

/// Runs one batch at a time, of images with random bytes. `device` and `wait` must outlive it; nothing else
/// may use the device meanwhile.
class BatchRunner {
 public:
  /// Makes `most` images of one size, from a seed; if they would take more than 256 MiB, images are used
  /// repeatedly.
  BatchRunner(Device& device, DeviceWait& wait, int most, int height, int width, std::uint64_t seed);

  /// Runs a batch of 1..most images to its end, which may be a failure. Throws DeviceError as described at
  /// Device::submit(), EnvironmentError if no end comes within ten minutes.
  FinishedBatch run(DeviceModel model, int batch);
  /// Does the same, but asks the batch to stop `after_ns` after its submission unless it has ended before.
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

/// A batch that was run and waited for.
struct FinishedBatch {
  BatchEnd end;
  TimeNs submitted_ns = 0;  ///< time before submit() was called
  TimeNs taken_ns = 0;      ///< time after take() had returned its end
  TimeNs asked_ns = 0;      ///< time at which preempt() was called; 0: it was not

  /// Returns the time that the device needed for it, at least 1 ns.
  TimeNs time_ns() const;
  /// Returns the rest of the time from submit() to take(): handing it over and hearing of its end.
  TimeNs handover_ns() const { return taken_ns - submitted_ns - (end.ended_ns - end.started_ns); }
};

}  // namespace harness
