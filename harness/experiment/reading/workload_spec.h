// The table [workload] of an experiment file.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/param_list.h"

namespace harness {

/// The largest seed, 2^53: above it a number of an experiment file does not hold every integer exactly.
inline constexpr std::uint64_t kLargestSeed = 9'007'199'254'740'992;

/// [workload]: the axes of the load.
struct WorkloadSpec {
  std::vector<NamedAt> pipelines;
  std::vector<NamedAt> traces;
  InputPlace rate_place;  ///< place of the rates; if the file has none, place where they are missing
  std::vector<double> loads = {1.0};  ///< loads relative to the capacity of the initial plan
  std::vector<double> rates_rps;  ///< unless empty, requests/s instead of loads; 0: recorded traces as they
                                  ///< are, streams at their own rates
  bool rates_per_worker = false;  ///< true: rates_rps are requests/s for each worker of the cluster
  std::vector<std::uint64_t> seeds = {1};
  std::vector<std::uint64_t> added_seeds;  ///< seeds that [repeat_until] may add, in order
  std::vector<double> slo_ms;              ///< SLOs; empty: each pipeline's own
  std::vector<double> slo_factors;         ///< unless empty, SLOs in shortest service times instead of slo_ms
  InputPlace slo_place;                    ///< place of slo_factors

  void list(ParamList& params);  ///< lists the axes; RequestParams has the rest of the table
};

}  // namespace harness
