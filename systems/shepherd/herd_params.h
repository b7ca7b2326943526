// HERD's parameters (SHEPHERD, section 4); README.md names their sources.
#pragma once

#include "harness/core/param_list.h"

namespace harness {

inline constexpr double kBytesPerMb = 1e6;

/// The parameters of plan_herd(), which takes the number of shares as it is: 1 or more.
struct HerdParams {
  int group_worker_limit = 12;
  int max_groups = 0;
  int shares = 1;
  double affinity_limit = 0;
  double reserved_mb = 1000;
  bool spread = true;
  double relative_gap = 0;
  int max_nodes = 2000;
  int exact_models = 40;

  void list(ParamList& list) {
    list.integer("herd_group_worker_limit", group_worker_limit, 0, 1'000'000,
                 "largest number of GPUs in a group (G of Eq. 2b); 0: no limit");
    list.integer(
        "herd_max_groups", max_groups, 0, 1'000'000,
        "largest number of groups; 0: as many as the GPUs make up at the limit, or as memory and affinity "
        "need");
    list.integer(
        "herd_shares", shares, 0, 1'000'000,
        "model-streams that the streams of one model are aggregated into; 1: the paper's; 0: as many "
        "as the GPUs make up groups at the limit");
    list.number("herd_affinity_limit", affinity_limit, 0, 1e9,
                "largest K between two models of a group (Eq. 4); 0: no limit");
    list.number("herd_reserved_mb", reserved_mb, 0, 1e6,
                "memory of each GPU set aside for the online algorithm, MB (10^6 bytes)");
    list.flag("herd_spread", spread,
              "of the plans with the largest minimum burst tolerance take one whose groups share the load");
    list.number("herd_relative_gap", relative_gap, 0, 1,
                "stop when the bound is so close: (bound - value) / bound");
    list.integer("herd_max_nodes", max_nodes, 0, 1'000'000'000,
                 "nodes of one integer program's search tree at most");
    list.integer("herd_exact_models", exact_models, 0, 1'000'000,
                 "with at most so many models what packing leaves open is settled by integer programs");
  }
};

}  // namespace harness
