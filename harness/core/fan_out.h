// How many visits at the next tasks a visit of a task tree causes (Loki, section 4.1: a detector's objects
// each go on).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"

namespace harness {

/// Draws the numbers of visits that visits of a task tree cause. They depend on the seed, the request and
/// the place of the visit among the request's visits alone, not on order: every system sees the same request.
/// Variants of a task draw from one random number, so that a variant with the larger mean never finds less.
///
/// The paper gives means only. Reconstructed: Poisson; or `fixed_fan_out`: the two whole numbers around the
/// mean, drawn so that it is kept.
class FanOut {
 public:
  /// `pipeline` need not outlive this. Without tasks nothing may be drawn.
  FanOut(const Pipeline& pipeline, std::uint64_t seed);

  /// A visit's place in its request: that of the first visit, and of child number `child` at the sub of that
  /// index of a visit at `place`.
  std::uint64_t first_place(RequestId request) const;
  static std::uint64_t child_place(std::uint64_t place, std::size_t sub, std::uint32_t child);

  /// Visits at the sub of that index of the module that a visit at `place` causes when `module` served it.
  std::uint32_t children(ModuleId module, std::size_t sub, std::uint64_t place) const;

 private:
  std::uint64_t seed_;
  std::vector<std::vector<std::vector<double>>>
      up_to_;  ///< [module][sub][count]: probability of at most `count`
};

}  // namespace harness
