// The optimal offline schedule of a small instance (SHEPHERD section 5.1, Eq. 3), to judge online ones by.
#pragma once

#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/serving/milp.h"

namespace harness {

/// A number of equal requests.
struct OfflineRequests {
  int model = 0;
  TimeNs arrival_ns = 0;
  TimeNs deadline_ns = 0;
  int count = 1;
};

struct OfflineInstance {
  int gpus = 1;
  std::vector<Profile> models;  ///< models, for batches of 1..max_batch()
  std::vector<OfflineRequests> requests;
};

struct OfflineOptimum {
  MilpStatus status = MilpStatus::kOptimal;
  int in_time = 0;   ///< most requests that can end in time, if kOptimal; otherwise the number that the best
                     ///< schedule found serves
  double bound = 0;  ///< upper limit of the number of requests that any schedule serves
  int starts = 0;    ///< number of variables: batches by model, size and start
};

/// Solves Eq. 3. As a zero-one program it would have a variable for each subset of requests, start and GPU.
/// This program has the same optimum with a variable for each (model, size, start), an integer from 0 to the
/// number of GPUs:
///
/// - GPUs are alike, so a set of batches fits on them iff no instant has more batches than GPUs.
/// - The choice of the requests for the batches is a transport problem between kinds of requests and starts,
///   whose vertices are whole; so those variables need not be integers.
/// - A batch of an optimal schedule can be moved to earlier times until it starts at the arrival of one of
///   its requests or at the end of the batch before it. So every start is an arrival plus a sum of latencies:
///   only these instants are looked at. Time is not discretised otherwise.
///
/// A GPU may start a batch at the instant at which the one before ends (Eq. 3 (b) as printed forbids it,
/// which matters only on a grid).
OfflineOptimum offline_optimum(const OfflineInstance& instance, const MilpLimits& limits = {});

/// Returns, ascending, the arrivals plus sums of latencies at which some batch can start. Every start of an
/// optimal schedule is among them.
std::vector<TimeNs> offline_starts(const OfflineInstance& instance);

}  // namespace harness
