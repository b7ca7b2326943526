// What the ranks of a job have for cells with runtime = "gpu": known before the first cell runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/experiment/cell_distribution.h"
#include "harness/live/machine_checks.h"

namespace harness {

/// A rank's processor cores and GPUs.
struct RankMachine {
  std::string host;
  std::uint64_t gpu_set = 0;  ///< visible_gpu_set(): ranks with the same share GPUs
  UsableCores cores;
  int nvidia = 0;              ///< NVIDIA GPUs that the kernel shows, usable or not
  int cuda = 0;                ///< GPUs that this build can use
  std::string why_no_cuda;     ///< in a line, where that is none; empty when it was not asked
  std::string why_no_network;  ///< on processor cores; empty: they can
};

template <class Way>
void code(Archive<Way>& archive, RankMachine& machine) {
  archive.value(machine.host);
  archive.value(machine.gpu_set);
  code(archive, machine.cores);
  archive.value(machine.nvidia);
  archive.value(machine.cuda);
  archive.value(machine.why_no_cuda);
  archive.value(machine.why_no_network);
}

/// Collective: rank 0 gets every rank's, the others nothing. Only with `asks_for_cuda`, and on ranks that
/// host GPUs, those are counted that the build can use, which loads LibTorch.
std::vector<RankMachine> gather_machines(CellDistribution& ranks, bool asks_for_cuda);

}  // namespace harness
