// The number of visits that one visit in a task tree causes at the next tasks, as when each object that a
// detector finds goes on (Loki, section 4.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"

namespace harness {

/// Draws how many visits each visit in a task tree causes. The number depends only on the seed, the request
/// and the visit's place in the request, not on the order of calls, so every system sees the same requests.
/// For one visit all variants of a task use the same random number, so a variant with a larger mean never
/// causes fewer visits.
///
/// The paper gives only means. The distribution is reconstructed: it is Poisson or, with
/// Pipeline::fixed_fan_out, the number is one of the two integers next to the mean, with probabilities that
/// give the mean.
class FanOut {
 public:
  /// `pipeline` need not outlive this object. If it has no tasks, children() must not be called.
  FanOut(const Pipeline& pipeline, std::uint64_t seed);

  /// Returns the key of a request's first visit. A visit's key is a random number. The number of its
  /// children and their keys depend on it.
  std::uint64_t first_key(RequestId request) const;
  /// Returns the key of child `child` (from 0) that the visit with key `key` has at entry `sub` of `subs`.
  static std::uint64_t child_key(std::uint64_t key, std::size_t sub, std::uint32_t child);

  /// Returns how many visits the visit with key `key`, if `module` served it, causes at entry `sub` of
  /// `subs`.
  std::uint32_t children(ModuleId module, std::size_t sub, std::uint64_t key) const;

 private:
  std::uint64_t seed_;
  /// Probability of at most `count` children: [module][sub][count].
  std::vector<std::vector<std::vector<double>>> cumulative_;
};

}  // namespace harness
