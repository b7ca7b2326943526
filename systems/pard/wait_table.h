// The distribution of a module's batch waits (PARD section 4.2, State Planner).
#pragma once

#include <array>

#include "harness/core/types.h"

namespace harness {

/// A module's batch-wait distribution as published: its quantile function at i / kSegments, ns, linear in
/// between.
struct WaitTable {
  static constexpr int kSegments = 64;
  static constexpr int kPoints = kSegments + 1;
  std::array<float, kPoints> at{};

  /// Returns U(0, exec), the distribution if visits arrive evenly over the execution of the batch before
  /// theirs.
  static WaitTable uniform(TimeNs exec_ns);
};

}  // namespace harness
