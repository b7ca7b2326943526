// A stage of a cell: its load at a rate.
#pragma once

#include <memory>
#include <string>

#include "harness/experiment/cells/resolved_cell.h"
#include "workloads/streams/load_facts.h"
#include "workloads/streams/stream_population.h"

namespace harness {

/// The load of a trace at a rate and with a seed.
struct OfferedLoad {
  double requests = 0;  ///< expected number
  double duration_s = 0;
  LoadFacts notes;                                     ///< remarks and peaks of a trace that is a file
  std::shared_ptr<const StreamPopulation> population;  ///< set for traces of shape streams
};

/// Makes the loads of cells. The first time that it makes one, it remarks on it.
class OfferedLoads {
 public:
  const OfferedLoad& of(const ResolvedCell& cell, double target_rps);

 private:
  struct Key {
    std::size_t trace;  ///< CommonSettings::trace
    double target_rps;
    std::uint64_t seed;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  Memo<Key, OfferedLoad> known_;
};

inline bool has_streams(const Settings& settings) { return settings.trace.shape == "streams"; }

/// Returns a text that is equal for cells with the same requests.
std::string arrivals_text(const ResolvedCell& cell, double target_rps);

}  // namespace harness
