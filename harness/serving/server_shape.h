// The servers of a cluster.
#pragma once

namespace harness {

/// The shape of a server; all servers are alike. A server has GPUs, cores and host memory (QUART, section
/// 8.1).
struct ServerShape {
  int gpus = 0;   ///< number of GPUs of a server, which divides the cluster's; 0: no GPU belongs to a server
  int cores = 0;  ///< number of cores of a server; 0: no limit
  double memory_mb = 0;      ///< host memory of a server; 0: no limit
  double gpu_memory_mb = 0;  ///< memory of each GPU; 0: not known

  /// Returns the number of instances that `all_gpus` GPUs hold if each takes `instance_gpus` GPUs, all of one
  /// server.
  int instances(int all_gpus, int instance_gpus) const {
    return gpus == 0 ? all_gpus / instance_gpus : all_gpus / gpus * (gpus / instance_gpus);
  }
};

}  // namespace harness
