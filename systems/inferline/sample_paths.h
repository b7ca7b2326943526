// The models that the queries of the sample visit (section 4.1: scale factors; 4.2: conditional control
// flow).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"

namespace harness {

/// The way in which the Estimator knows where a query goes (R).
enum class PathDraws {
  kRoute,       ///< from its own route or fan-outs, which its number and the seed determine as in a run
  kIndependent  ///< from independent draws, by the measured ratio of visits s_m / s_parent
};

/// The visits of the sample's queries at one model. A visit has the number of its query. In a task tree,
/// each model numbers its visits from 0 on, and the visits that one visit causes have consecutive numbers.
struct ModelPaths {
  std::size_t visits = 0;
  std::size_t measured = 0;   ///< number of visits on the queries' own paths, from which s_m is computed
  bool takes_one = false;     ///< true if each query goes from here to one of `subs`
  bool may_end = false;       ///< true if some query may go nowhere from here
  std::vector<bool> is_sure;  ///< per entry of `subs`: true if all queries that come here go there too
  /// Holds, for each entry of `pres`, a flag for each query: 1 if the query, should it get there, goes on
  /// from there to here. If the flags are empty, all queries that get there go on to here.
  std::vector<std::vector<std::uint8_t>> takes;
  std::vector<std::uint8_t> branches;   ///< number of branches that a join waits for, by query
  std::vector<std::uint32_t> query_of;  ///< query of each visit; only in a task tree, except at its root
  /// Likewise only in a task tree, except at its root: entry i is the first visit here that visit i at the
  /// task before causes, and entry i + 1 is the end of these visits.
  std::vector<std::uint32_t> caused;
};

/// Returns the paths of the queries `first`, `first` + 1, ... of a run with that seed, by model. A task tree
/// must have one variant of each task (served_models.h). Throws InputError if a task tree causes more visits
/// than can be kept.
std::vector<ModelPaths> sample_paths(const Pipeline& pipeline, std::size_t queries, std::uint64_t seed,
                                     PathDraws draws, RequestId first = 0);

}  // namespace harness
