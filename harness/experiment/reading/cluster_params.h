// The part of [cluster] that says how large and fast the cluster is; WorldParams holds the rest.
#pragma once

#include <string>

#include "harness/core/param_list.h"

namespace harness {

/// The cluster's size and speed.
struct ClusterParams {
  int workers = 64;
  std::string profiles = "shepherd-v100";
  double profile_scale = 1;
  // The next four describe servers; 0: not given.
  int gpus_per_server = 0;
  int server_cores = 0;
  double server_memory_gb = 0;
  double gpu_memory_gb = 0;

  void list(ParamList& params);
};

}  // namespace harness
