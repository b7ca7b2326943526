// Which GPUs a process sees, as far as it can be compared between processes.
#pragma once

#include <cstdint>
#include <string>

namespace harness {

/// The same for two processes if they see the same GPUs in the same order: by the GPUs' UUIDs, which NVIDIA's
/// driver tells, whatever the processes call them (each task of a Slurm job may have a "GPU 0" of its own).
/// Where the driver tells nothing: if they run under one kernel with the same CUDA_VISIBLE_DEVICES. Another
/// `driver` than the machine's: tests.
std::uint64_t visible_gpu_set(const std::string& driver = "libcuda.so.1");

}  // namespace harness
