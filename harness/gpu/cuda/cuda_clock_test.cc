#include "harness/gpu/cuda/cuda_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "harness/gpu/cuda/cuda_gpus.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

// An event recorded between two readings of the host's clock happened between them, within the error that the
// clock reports; this holds over several renewals.
TEST(CudaClock, PutsEventsWhereTheHostSawThem) {
  const std::string why = why_no_cuda_device();
  if (!why.empty()) GTEST_SKIP() << "no GPU: " << why;
  CudaClock clock;
  CudaStream stream;
  CudaEvent event(CudaEvent::Timing::kOn);
  for (int i = 0; i < 30; ++i) {
    clock.keep_current();
    const int reference = clock.acquire();
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 5 * 20));
    const TimeNs before_ns = steady_ns();
    event.record(stream);
    stream.synchronize();
    const TimeNs after_ns = steady_ns();
    const TimeNs told_ns = clock.host_ns(reference, event);
    clock.release(reference);
    EXPECT_GE(told_ns, before_ns - clock.error_ns() - 10 * kNsPerUs);
    EXPECT_LE(told_ns, after_ns + clock.error_ns() + 10 * kNsPerUs);
  }
#ifndef HARNESS_FAKE_CUDA  // the fake's threads run when the machine lets them
  EXPECT_LT(clock.error_ns(), 100 * kNsPerUs);
#endif
}

}  // namespace
}  // namespace harness
