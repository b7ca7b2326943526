// Which rank hosts which GPU of the live cluster.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/live/protocol/live_params.h"

namespace harness {

/// With one rank everything is on rank 0. Otherwise rank 0 has no GPU, and the others take them in order,
/// gpus_per_rank each; the last ones may have fewer or none.
class Layout {
 public:
  /// The layout must fit: layout_fault() is empty.
  Layout(int workers, int ranks, const LiveParams& params);

  int ranks() const { return ranks_; }
  /// The most that a rank hosts.
  int gpus_per_rank() const { return gpus_per_rank_; }
  /// The rank that hosts GPU `gpu`, 0 <= gpu < workers.
  int rank_of(int gpu) const { return ranks_ == 1 ? 0 : 1 + gpu / gpus_per_rank_; }
  /// The GPUs of `rank`: first_gpu(rank) and the next gpus(rank) - 1.
  int first_gpu(int rank) const;
  int gpus(int rank) const;
  /// The number of the rank's first GPU among the GPUs that its process sees: those before it belong to the
  /// lower ranks that see the same. `gpu_sets`: Transport::gpu_sets().
  int first_device(int rank, std::span<const std::uint64_t> gpu_sets) const;
  /// Ranks that neither send nor host a GPU.
  int idle_ranks() const;

 private:
  int workers_;
  int ranks_;
  int gpus_per_rank_;
};

/// "4 ranks for 64 workers, 8 on each but the first; -n 9 fits"; empty when the layout fits.
std::string layout_fault(int workers, int ranks, const LiveParams& params);

/// "core 7, not among those that rank 0 may use: 0, 1"; empty when the load generator can keep to its
/// `spin_core`, and when nobody knows the `allowed` cores of rank 0.
std::string spin_core_fault(const LiveParams& params, std::span<const int> allowed);

}  // namespace harness
