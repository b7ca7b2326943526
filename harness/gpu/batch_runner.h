// Running single batches on a device and waiting for each: for the profiler, which has no event loop.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/gpu/device.h"
#include "harness/gpu/device_wait.h"

namespace harness {

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

/// One batch at a time of pictures with random bytes. `device` and `wait` outlive it; nothing else uses the
/// device meanwhile.
class BatchRunner {
 public:
  /// `most` pictures of one size, from a seed; the same again where all would be more than 256 MiB.
  BatchRunner(Device& device, DeviceWait& wait, int most, int height, int width, std::uint64_t seed);

  /// Runs a batch of 1..most pictures to its end, which may be a failure. Throws DeviceError as
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
  std::vector<Picture> pictures_;
  std::vector<BatchEnd> ended_;
  std::uint64_t next_tag_ = 1;
};

}  // namespace harness
