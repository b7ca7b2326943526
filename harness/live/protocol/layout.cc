#include "harness/live/protocol/layout.h"

#include <algorithm>

#include "harness/core/wording.h"

namespace harness {
namespace {

int ceil_of_quotient(int whole, int part) { return (whole + part - 1) / part; }

int gpus_per_rank(int workers, int ranks, const LiveParams& params) {
  if (ranks == 1) return workers;
  return params.gpus_per_rank > 0 ? params.gpus_per_rank : ceil_of_quotient(workers, ranks - 1);
}

}  // namespace

Layout::Layout(int workers, int ranks, const LiveParams& params)
    : workers_(workers), ranks_(ranks), gpus_per_rank_(harness::gpus_per_rank(workers, ranks, params)) {}

int Layout::first_gpu(int rank) const {
  if (ranks_ == 1 || rank == 0) return 0;
  // In a wider type: many ranks of many GPUs may be asked for.
  const long long first = static_cast<long long>(rank - 1) * gpus_per_rank_;
  return static_cast<int>(std::min<long long>(workers_, first));
}

int Layout::gpus(int rank) const {
  if (ranks_ == 1) return workers_;
  return rank == 0 ? 0 : std::min(gpus_per_rank_, workers_ - first_gpu(rank));
}

int Layout::first_device(int rank, std::span<const std::uint64_t> gpu_sets) const {
  int first = 0;
  for (int lower = 0; lower < rank; ++lower) {
    if (gpu_sets[static_cast<std::size_t>(lower)] == gpu_sets[static_cast<std::size_t>(rank)])
      first += gpus(lower);
  }
  return first;
}

int Layout::idle_ranks() const {
  if (ranks_ == 1) return 0;
  return ranks_ - 1 - ceil_of_quotient(workers_, gpus_per_rank_);
}

std::string layout_fault(int workers, int ranks, const LiveParams& params) {
  if (ranks == 1 || params.gpus_per_rank == 0) return "";
  const int needed = ceil_of_quotient(workers, params.gpus_per_rank);
  if (ranks - 1 >= needed) return "";
  return counted(ranks, "rank") + " for " + counted(workers, "worker") + ", " +
         std::to_string(params.gpus_per_rank) + " on each but the first; -n " + std::to_string(needed + 1) +
         " fits";
}

std::string spin_core_fault(const LiveParams& params, std::span<const int> allowed) {
  if (!params.spin || params.spin_core < 0 || allowed.empty()) return "";
  if (std::find(allowed.begin(), allowed.end(), params.spin_core) != allowed.end()) return "";
  std::string cores;
  for (const int core : allowed) cores += (cores.empty() ? "" : ", ") + std::to_string(core);
  return "core " + std::to_string(params.spin_core) + ", not among those that rank 0 may use: " + cores;
}

}  // namespace harness
