// The processor cores and GPUs of a job's ranks, for cells with runtime = "gpu": known before the first cell
// runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/machine/usable_cores.h"
#include "harness/ranks/cell_distribution.h"

namespace harness {

/// A rank's processor cores and GPUs.
struct RankMachine {
  std::string host;
  std::uint64_t gpu_set = 0;  ///< visible_gpu_set(): ranks with equal values share GPUs
  UsableCores cores;
  int nvidia = 0;              ///< number of NVIDIA GPUs that the kernel shows, usable or not
  int gpus = 0;                ///< number of GPUs that this build can use
  std::string why_no_gpu;      ///< reason in one line if `gpus` is 0; empty if nobody asked
  std::string why_no_network;  ///< reason why processor cores cannot run networks; empty: they can
};

template <class Way>
void code(Archive<Way>& archive, RankMachine& machine) {
  archive.value(machine.host);
  archive.value(machine.gpu_set);
  code(archive, machine.cores);
  archive.value(machine.nvidia);
  archive.value(machine.gpus);
  archive.value(machine.why_no_gpu);
  archive.value(machine.why_no_network);
}

/// Collective: returns every rank's machine on rank 0, nothing on the others. Only with `asks_for_gpus`, and
/// on ranks that host GPUs, it counts the GPUs that the build can use, which loads LibTorch.
std::vector<RankMachine> gather_machines(CellDistribution& ranks, bool asks_for_gpus);

}  // namespace harness
