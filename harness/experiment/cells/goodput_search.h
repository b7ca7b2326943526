// The goodput of one GPU for one model (SHEPHERD, section 4: HERD "empirically measures the maximum goodput
// T_i each stream i can achieve on a single GPU"), found in virtual time.
#pragma once

#include <cstdint>

#include "harness/core/profile.h"

namespace harness {

/// The definition of "served", and how long each rate is tried. The paper gives neither.
struct GoodputSearch {
  double share = 0.99;       ///< share of the requests that must end in time, above 0, at most 1
  double requests = 20'000;  ///< expected number at each rate that is tried; more if 100 SLOs last longer
  std::uint64_t seed = 1;    ///< seed of the arrivals
};

/// Returns the largest rate, requests/s, of Poisson arrivals of which FLEX (system `shepherd` with its
/// defaults) on one GPU ends that share in time, found by bisection to 0.2 %. It is never above the largest
/// throughput of batches that take no longer than the SLO, nor above a million; 0 if even the slowest rates
/// are not served so. Arrivals of all rates are one process, faster or slower; the result is deterministic.
double one_gpu_goodput_rps(const Profile& profile, TimeNs slo_ns, const GoodputSearch& search);

}  // namespace harness
