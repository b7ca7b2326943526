// The part of a plan that is for one module.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// The plan of one module.
struct ModulePlan {
  /// Number of workers that serve it, some perhaps other modules too; 0: see SystemTraits::scales_to_zero.
  int workers = 1;
  int max_batch = 1;   ///< largest batch that a scheduler may form, 1..the profile's maximum
  TimeNs exec_ns = 0;  ///< d_k: the profile's latency at max_batch (latency_with_cores)
  /// Share of the SLO for this module alone (waits and execution), for systems that split it.
  TimeNs budget_ns = 0;
  /// The kind of device of its workers, an index into ServingContext::devices. All plans of a run name the
  /// same kind. It differs from 0 only if the system says that it plans kinds (SystemTraits::plans_devices),
  /// and only in plans without groups.
  std::uint16_t device = 0;
  /// Number of cores of each worker, from its next batch on (latency_with_cores, profile.h); 0: as the
  /// profile was measured.
  int cores = 0;

  bool operator==(const ModulePlan&) const = default;
};

}  // namespace harness
