// The parameters of Loki's Resource Manager (section 4).
#pragma once

#include "harness/core/param_list.h"

namespace harness {

struct PlanningParams {
  double period_s = 10;
  double tables_period_s = 1;
  double demand_alpha = 0.32;
  double demand_change = 0.2;
  double headroom = 1;
  double fan_out_factor = 1;
  double min_demand_rps = 0;
  int max_batch = 32;
  bool raise_batches = true;
  double communication_ms = 0;
  double relative_gap = 1e-4;
  int max_nodes = 2000;

  void list(ParamList& params) {
    params.number("period_s", period_s, 0.1, 1e5, "workers are allocated again so often (section 4.2: 10 s)");
    params.number(
        "tables_period_s", tables_period_s, 0.1, 1e5,
        "rates are measured over this time, routing tables made again so often (sections 3 and 5.1)");
    params.number("demand_alpha", demand_alpha, 0.01, 1,
                  "weight of the newest rate in the moving averages of demand and fan-outs (section 4.2)");
    params.number(
        "demand_change", demand_change, 0.01, 10,
        "share by which demand must leave that of the plan to be a significant change (section 4.2)");
    params.number("headroom", headroom, 0.1, 10,
                  "workers are allocated, and routing tables made, for the demand times this");
    params.number("fan_out_factor", fan_out_factor, 0.1, 10,
                  "workers are allocated for fan-outs of this times those measured (not `proteus`)");
    params.number("min_demand_rps", min_demand_rps, 0, 1e9,
                  "requests/s that the demand is taken to be at least; `headroom` comes on top");
    params.integer("max_batch", max_batch, 1, 1024,
                   "batch sizes are the powers of two up to this (B of section 4.1)");
    params.flag("raise_batches", raise_batches,
                "batch sizes grow while every path stays within half of the SLO");
    params.number("communication_ms", communication_ms, 0, 1e4,
                  "taken off the SLO for each task on the longest path (section 4.2)");
    params.number("relative_gap", relative_gap, 0, 1,
                  "an integer program is solved when its bound is so close: (bound - value) / bound");
    params.integer("max_nodes", max_nodes, 1, 1'000'000'000,
                   "nodes of an integer program's search tree at most");
  }
};

}  // namespace harness
