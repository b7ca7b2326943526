// What stood where at one moment of a run: the facts of `harness explain --at`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/views/explain_rows.h"

namespace harness {

struct MomentFacts {
  struct ModuleFacts {
    std::uint16_t module = 0;
    const PlanRow* plan = nullptr;  ///< in force; null: none was recorded
    std::uint64_t waiting = 0;      ///< visits whose batch had not started
    std::uint64_t batches = 0;      ///< that ran
    std::uint64_t running = 0;      ///< visits in them
    std::optional<std::size_t> state_row;
  };
  /// A request that had been sent and had not ended, and one of its visits: the one that stood somewhere
  /// then; where several did, one entry for each; where none did, it was on the way.
  struct Standing {
    const RequestRow* request = nullptr;
    const VisitRow* visit = nullptr;  ///< null: on the way between modules
  };

  TimeNs at_ns = 0;
  std::vector<ModuleFacts> modules;
  std::vector<RowBatch> batches;  ///< that ran, by module and worker
  std::uint64_t requests = 0;     ///< in the system
  std::vector<Standing> standing;
};

/// `at_ns` may be any time: outside of the run nothing stands anywhere.
MomentFacts explain_moment(const ExplainRows& rows, TimeNs at_ns);

}  // namespace harness
