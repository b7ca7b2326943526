// The assignment of the live cluster's GPUs to ranks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/live/protocol/live_params.h"

namespace harness {

/// The assignment of GPUs to ranks. With one rank everything is on rank 0. Otherwise rank 0 has no GPU, and
/// the other ranks take the GPUs in order, gpus_per_rank each; the last ranks may have fewer or none.
class Layout {
 public:
  /// The layout must fit: layout_fault() returns "" for it.
  Layout(int workers, int ranks, const LiveParams& params);

  int ranks() const { return ranks_; }
  /// Returns the largest number of GPUs that a rank hosts.
  int gpus_per_rank() const { return gpus_per_rank_; }
  /// Returns the rank that hosts GPU `gpu`, 0 <= gpu < workers.
  int rank_of(int gpu) const { return ranks_ == 1 ? 0 : 1 + gpu / gpus_per_rank_; }
  /// The GPUs of `rank` are first_gpu(rank) and the next gpus(rank) - 1.
  int first_gpu(int rank) const;
  int gpus(int rank) const;
  /// Returns the number of the rank's first GPU among the GPUs that its process sees: the GPUs before it
  /// belong to the lower ranks whose processes see the same set. `gpu_sets` is Transport::gpu_sets().
  int first_device(int rank, std::span<const std::uint64_t> gpu_sets) const;
  /// Returns the number of ranks that neither send the load nor host a GPU.
  int idle_ranks() const;

 private:
  int workers_;
  int ranks_;
  int gpus_per_rank_;
};

/// Returns why the layout does not fit: "4 ranks for 64 workers, 8 on each but the first; -n 9 fits". Returns
/// "" if it fits.
std::string layout_fault(int workers, int ranks, const LiveParams& params);

/// Returns why the load generator cannot keep to its `spin_core`: "core 7, not among those that rank 0 may
/// use: 0, 1". Returns "" if it can, and if the `allowed` cores of rank 0 are unknown (empty).
std::string spin_core_fault(const LiveParams& params, std::span<const int> allowed);

}  // namespace harness
