// The distribution of batch waits and its aggregation over the later modules (PARD section 4.2, State
// Planner).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/random.h"
#include "harness/core/types.h"

namespace harness {

/// A module's batch-wait distribution as published: its quantile function at i / kSegments, ns, linear in
/// between.
struct WaitTable {
  static constexpr int kSegments = 64;
  static constexpr int kPoints = kSegments + 1;
  std::array<float, kPoints> at{};

  /// Returns U(0, exec), the distribution if visits arrive evenly over the execution of the batch before
  /// theirs.
  static WaitTable uniform(TimeNs exec_ns);
};

/// The observed batch waits of a module's most recent arrivals, kept as a histogram: adding is O(1), and the
/// table needs no sorting. Bins are 1/256 of the module's execution time wide, waits of 0 have their own bin,
/// and waits of 4 executions and more count as 4.
class WaitWindow {
 public:
  explicit WaitWindow(int size);

  /// Sets the execution time d of a batch. The waits in the window are binned again.
  void set_exec(TimeNs exec_ns);
  void add(double wait_ns);
  /// Returns the number of waits in the window, at most its size.
  std::size_t count() const { return waits_.size(); }
  /// Returns the quantiles of the window; uniform while it is empty.
  WaitTable table() const;

 private:
  static constexpr int kBins = 1024;
  static constexpr int kBinsPerExec = 256;

  std::size_t bin_of(float wait) const;
  void rebin();

  std::size_t size_;
  std::size_t oldest_ = 0;
  std::vector<float> waits_;  ///< a ring once it is full
  std::array<std::uint32_t, kBins + 1> counts_{};
  TimeNs exec_ns_ = 0;
  float bin_width_ = 1;
  float bins_per_ns_ = 1;
};

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
