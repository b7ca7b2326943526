// Times of CUDA events on the host's clock.
#pragma once

#include <vector>

#include "harness/gpu/cuda/cuda_stream.h"
#include "harness/gpu/device/device_clock.h"

namespace harness {

/// Reference events of one GPU (the one current when this was made), on a stream of their own, so that they
/// pass at once whatever runs. One thread. All throw DeviceError.
class CudaClock {
 public:
  /// Makes the first reference.
  CudaClock();

  /// Renews the reference when that is due: some ten microseconds of the host, five times a second.
  void keep_current();
  /// As DeviceClock.
  int acquire() { return clock_.acquire(); }
  void release(int reference) { clock_.release(reference); }
  /// When `event`, with timing and passed, was; `reference` is acquired.
  TimeNs host_ns(int reference, const CudaEvent& event) const;
  TimeNs error_ns() const { return clock_.error_ns(); }

 private:
  /// Records the event in as narrow a bracket as a few tries give; false when the device takes too long.
  bool record(CudaEvent& event, DeviceClock::Bracket& bracket);

  CudaStream stream_;
  std::vector<CudaEvent> events_;  ///< by number of the reference
  DeviceClock clock_;
};

}  // namespace harness
