// The places of all requests at one moment of a run: the facts of `harness explain --at`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/views/explain_rows.h"

namespace harness {

struct MomentFacts {
  struct ModuleFacts {
    std::uint16_t module = 0;
    const PlanRow* plan = nullptr;  ///< plan in force; null: none was recorded
    std::uint64_t waiting = 0;      ///< number of visits whose batch had not started
    std::uint64_t batches = 0;      ///< number of batches that ran
    std::uint64_t running = 0;      ///< number of visits in these batches
    std::optional<std::size_t> state_row;
  };
  /// A request that had been sent and had not ended, and its visit that was at a module then. If several
  /// were, each has an entry; if no visit was, the request was on the way.
  struct Standing {
    const RequestRow* request = nullptr;
    const VisitRow* visit = nullptr;  ///< the visit; null: on the way between modules
  };

  TimeNs at_ns = 0;
  std::vector<ModuleFacts> modules;
  std::vector<RowBatch> batches;  ///< batches that ran, by module and worker
  std::uint64_t requests = 0;     ///< number of requests in the system
  std::vector<Standing> standing;
};

/// Returns the facts of the moment. `at_ns` may be any time: outside of the run no visit is anywhere.
MomentFacts explain_moment(const ExplainRows& rows, TimeNs at_ns);

}  // namespace harness
