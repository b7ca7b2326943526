#include "harness/experiment/reading/cluster_params.h"

namespace harness {

void ClusterParams::list(ParamList& params) {
  params.integer("workers", workers, 1, 1'000'000, "number of workers (GPUs)");
  params.any_text("profiles", profiles, "a name of `harness list profiles` or a path",
                  "the set of profiles: a name, or a path from the experiment file's folder");
  params.number("profile_scale", profile_scale, 1e-3, 1e3,
                "all latencies of the profiles are multiplied by this");
  params.integer("gpus_per_server", gpus_per_server, 1, 1024,
                 "number of GPUs of a server, which divides the cluster's; absent (0): no servers");
  params.integer("server_cores", server_cores, 1, 100'000,
                 "cores of a server: its instances have no more together; absent (0): no limit");
  params.number("server_memory_gb", server_memory_gb, 1e-3, 1e6,
                "host memory of a server, of 1000 MB each: parameters of its instances and copies kept "
                "there; absent (0): no limit");
  params.number("gpu_memory_gb", gpu_memory_gb, 1e-3, 1e6,
                "memory of a GPU: a larger model than its GPUs hold is refused; absent (0): not known");
}

}  // namespace harness
