// Remote calls, and their latencies.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// A remote call, with a lognormal latency that is independent of all others.
struct DelayService {
  int slots = 1;  ///< number of threads
  TimeNs median_ns = 1;
  double sigma = 0;
};

/// Returns the mean latency of the call.
double mean_ns(const DelayService& delay);
/// Returns the latency of a remote call of the request at the module: a draw of its own, the same whoever
/// asks, and whenever.
TimeNs delay_of(const DelayService& delay, std::uint64_t seed, RequestId request, ModuleId module);

}  // namespace harness
