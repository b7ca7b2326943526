// Groups of workers that serve the same modules.
#pragma once

#include <vector>

#include "harness/core/types.h"

namespace harness {

/// Workers behind one queue, each of which serves all of the modules.
struct WorkerGroup {
  int workers = 1;
  std::vector<ModuleId> modules;  ///< in order, at least one
  /// Largest batch here of each entry of `modules`, at most the module's own; empty: the module's own. It is
  /// for systems that plan each group for itself (Nexus: the nodes of a packing).
  std::vector<int> max_batches = {};
  /// The time in which each worker is to run one batch of every module; 0: not planned.
  TimeNs cycle_ns = 0;
  /// For routers and records: the streams of a module are divided into equal parts, and this is the number of
  /// parts that go here, for each entry of `modules` (SHEPHERD); empty: they are not divided.
  std::vector<int> shares = {};

  bool operator==(const WorkerGroup&) const = default;
};

/// True if both are the same group, perhaps with different numbers of workers and different shares.
inline bool is_same_group(const WorkerGroup& a, const WorkerGroup& b) {
  return a.modules == b.modules && a.max_batches == b.max_batches && a.cycle_ns == b.cycle_ns;
}

}  // namespace harness
