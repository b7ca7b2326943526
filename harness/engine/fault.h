// The faults of an experiment: kind, place and time.
#pragma once

#include "harness/core/types.h"

namespace harness {

/// The effect that a fault has on its GPUs from `at_ns` to `at_ns + for_ns`.
enum class FaultKind {
  kStop,   ///< they are gone: their workers are lost, what ran on them too
  kSlow,   ///< batches that start take `factor` times as long
  kDelay,  ///< every message between the dispatcher and their queues takes `delay_ns` longer
  kLoss,   ///< every message between the dispatcher and their queues is lost
};
inline constexpr int kFaultKinds = 4;
constexpr const char* name_of(FaultKind kind) {
  constexpr const char* kNames[] = {"stop", "slow", "delay", "loss"};
  return kNames[static_cast<int>(kind)];
}

/// One fault. A GPU is a place of the cluster, 0..workers-1: the first workers take the places in order, and
/// a worker added later takes the lowest free one. Faults may overlap: factors multiply, delays add up, and a
/// GPU is back when its last stop is over.
struct Fault {
  FaultKind kind = FaultKind::kStop;
  TimeNs at_ns = 0;
  TimeNs for_ns = 0;  ///< duration, above 0
  int first_gpu = 0;
  int gpus = 1;         ///< number of GPUs from first_gpu on, all within the cluster
  double factor = 1;    ///< factor of kSlow, at least 1
  TimeNs delay_ns = 0;  ///< delay of kDelay, above 0
};

}  // namespace harness
