// Converts times of CUDA events to the host's clock.
#pragma once

#include <vector>

#include "harness/gpu/cuda/cuda_stream.h"
#include "harness/gpu/device/device_clock.h"

namespace harness {

/// The reference events of one GPU (the one that was current when this was made), on a stream of their own,
/// so that they pass at once whatever runs. It is used by one thread. All functions throw DeviceError.
class CudaClock {
 public:
  /// Makes the first reference.
  CudaClock();

  /// Renews the reference if that is due: this takes some ten microseconds of the host, five times a second.
  void keep_current();
  /// Acquires the current reference: these are the functions of DeviceClock.
  int acquire() { return clock_.acquire(); }
  void release(int reference) { clock_.release(reference); }
  /// Returns the time of `event`, which has timing and has passed; `reference` must be acquired.
  TimeNs host_ns(int reference, const CudaEvent& event) const;
  TimeNs error_ns() const { return clock_.error_ns(); }

 private:
  /// Records the event in as narrow a bracket as a few tries give; returns false if the device takes too
  /// long.
  bool record(CudaEvent& event, DeviceClock::Bracket& bracket);

  CudaStream stream_;
  std::vector<CudaEvent> events_;  ///< events by number of the reference
  DeviceClock clock_;
};

}  // namespace harness
