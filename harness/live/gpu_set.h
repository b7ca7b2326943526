// Which GPUs a process sees, as far as it can be compared between processes.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "harness/core/random.h"
#include "harness/live/host_name.h"

namespace harness {

/// The same for two processes if they run under one kernel with the same CUDA_VISIBLE_DEVICES. Containers of
/// one machine count as one place, though each may have been given GPUs of its own: a GPU taken twice would
/// go unnoticed, one that is not there does not.
inline std::uint64_t visible_gpu_set() {
  std::string kernel;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), kernel);
  if (kernel.empty()) kernel = host_name();
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return hash_text(visible == nullptr ? "" : visible, hash_text(kernel));
}

}  // namespace harness
