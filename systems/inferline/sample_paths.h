// Which models the queries of the sample visit (section 4.1: scale factors; 4.2: conditional control flow).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"

namespace harness {

/// How the Estimator knows where a query goes (R).
enum class PathDraws {
  kRoute,       ///< its own route or fan-outs, as the number of the query and the seed give them in a run
  kIndependent  ///< each choice by itself, with the measured share of those that go there: s_m / s_parent
};

/// What the sample's queries do at one model. Visits there are numbered: as the queries; in a task tree from
/// 0 on, those that one visit causes one after the other.
struct ModelPaths {
  std::size_t visits = 0;
  std::size_t measured = 0;   ///< visits on the queries' own paths, of which s_m consists
  bool takes_one = false;     ///< each query goes from here to one of `subs`
  bool may_end = false;       ///< some query may go nowhere from here
  std::vector<bool> is_sure;  ///< by entry of `subs`: all queries that come here go there too
  /// By entry of `pres`: by query whether it comes from there; empty: each does that went there.
  std::vector<std::vector<std::uint8_t>> takes;
  std::vector<std::uint8_t> branches;   ///< of a join, by query: for how many it waits
  std::vector<std::uint32_t> query_of;  ///< of a task tree but for its root, by visit
  /// Likewise, by visit at the task before: the first visit that it causes here; the next entry ends them.
  std::vector<std::uint32_t> caused;
};

/// By model, of the queries `first`, `first` + 1, ... of a run with that seed. A task tree has one variant of
/// each task (served_models.h). Throws InputError where it causes
/// more visits than can be kept.
std::vector<ModelPaths> sample_paths(const Pipeline& pipeline, std::size_t queries, std::uint64_t seed,
                                     PathDraws draws, RequestId first = 0);

}  // namespace harness
