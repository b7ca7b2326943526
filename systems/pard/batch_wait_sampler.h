// The aggregation of batch waits over the later modules (PARD section 4.2, State Planner).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/core/types.h"
#include "systems/pard/wait_table.h"

namespace harness {

/// Draws sums of independent batch waits, one per module of a path, and finds a quantile of them. Takes about
/// 3 ns a sample for four modules: one word of the stream gives four draws of 16 bits.
class BatchWaitSampler {
 public:
  /// Its random stream is keyed (seed, "pard.batch_wait", module).
  BatchWaitSampler(std::uint64_t seed, ModuleId module, int samples);

  /// Returns the smallest sampled sum s such that at least lambda of the samples are <= s; 0 for an empty
  /// path. Needs lambda in (0, 1].
  double quantile(std::span<const WaitTable* const> path, double lambda);

 private:
  static constexpr int kDrawsPerWord = 4;
  static constexpr int kBins = 2048;

  void draw_sums(std::span<const WaitTable* const> path);
  template <int kModules>
  void add_draws(std::span<const WaitTable* const> path, bool first);
  float select(std::size_t rank, float largest);

  RandomStream stream_;
  std::size_t samples_;
  std::vector<float> sums_;  ///< sums of the samples, filled up to whole vectors
  std::vector<float> in_bin_;
  std::array<std::uint32_t, kBins> counts_{};
};

}  // namespace harness
