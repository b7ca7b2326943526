// The number of visits at the next tasks that a visit of a task tree causes (Loki, section 4.1: each of a
// detector's objects goes on).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"

namespace harness {

/// Draws the numbers of visits that visits of a task tree cause. They depend on the seed, the request and the
/// place of the visit among the request's visits alone, not on the order of calls: every system sees the same
/// request. Variants of a task draw from one random number, so that a variant with the larger mean never
/// finds less.
///
/// The paper gives means only. Reconstructed: the numbers are Poisson or, with `fixed_fan_out`, one of the
/// two whole numbers around the mean, drawn so that the mean is kept.
class FanOut {
 public:
  /// `pipeline` need not outlive this. If it has no tasks nothing may be drawn.
  FanOut(const Pipeline& pipeline, std::uint64_t seed);

  /// Returns the place of a request's first visit among the request's visits.
  std::uint64_t first_place(RequestId request) const;
  /// Returns the place of child number `child`, at the sub of index `sub`, of a visit at `place`.
  static std::uint64_t child_place(std::uint64_t place, std::size_t sub, std::uint32_t child);

  /// Returns the number of visits at the sub of index `sub` that a visit at `place` causes if `module` served
  /// it.
  std::uint32_t children(ModuleId module, std::size_t sub, std::uint64_t place) const;

 private:
  std::uint64_t seed_;
  /// Probability of at most `count` children: [module][sub][count].
  std::vector<std::vector<std::vector<double>>> up_to_;
};

}  // namespace harness
