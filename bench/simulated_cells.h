// The cells whose simulation is measured: how fast it is, and how that grows with their size.
#pragma once

#include <cstddef>

#include "harness/engine/run_spec.h"

namespace harness {

/// lv under the tweet shape, SHEPHERD's profiles times 3, sizing factor 2, load 1.0: the cell of
/// experiments/bench/lv-tweet.toml. `duration_s`: of as many requests with 64 workers.
RunSpec make_lv_cell(const char* system, int workers, double duration_s);
/// A chain of so many modules, each ResNet-50 on 8 workers, under Poisson arrivals; load 0.9, `requests` on
/// average.
RunSpec make_chain_cell(const char* system, int modules, double requests);
/// SHEPHERD's FLEX: the first 13 models of its Table 4, all on every one of 12 workers, each with as many of
/// the streams as the others, under Poisson arrivals of `load` times what the workers can serve. SLO: 250 ms,
/// or three times the model's latency alone, if that is longer.
RunSpec make_group_cell(std::size_t streams, double load, double requests);

}  // namespace harness
