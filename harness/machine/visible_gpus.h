// The set of GPUs that a process sees, in a form that can be compared between processes.
#pragma once

#include <cstdint>
#include <string>

namespace harness {

/// Returns a number that is the same for two processes if they see the same GPUs in the same order. It
/// depends on the GPUs' UUIDs, which NVIDIA's driver tells, and not on the processes' names for them (each
/// task of a Slurm job may have a "GPU 0" of its own). If the driver tells nothing, the number is the same if
/// both run under one kernel with the same CUDA_VISIBLE_DEVICES. `driver` is the machine's outside of tests.
std::uint64_t visible_gpu_set(const std::string& driver = "libcuda.so.1");

}  // namespace harness
