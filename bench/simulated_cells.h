// The cells whose simulation is measured: how fast it is, and how that changes with their size.
#pragma once

#include <cstddef>

#include "harness/engine/run_spec.h"

namespace harness {

/// Returns the cell of experiments/bench/lv-tweet.toml: lv under the tweet shape, SHEPHERD's profiles times
/// 3, sizing factor 2, load 1.0. It has as many requests as 64 workers get in `duration_s`.
RunSpec make_lv_cell(const char* system, int workers, double duration_s);
/// Returns a chain of `modules` modules, each ResNet-50 on 8 workers, under Poisson arrivals; load 0.9,
/// `requests` on average.
RunSpec make_chain_cell(const char* system, int modules, double requests);
/// Returns a cell of SHEPHERD's FLEX: the first 13 models of its Table 4, all on every one of 12 workers,
/// each with as many of the streams as the others, under Poisson arrivals of `load` times the workers'
/// capacity. The SLO is 250 ms, or three times the model's latency alone, if that is longer.
RunSpec make_group_cell(std::size_t streams, double load, double requests);

}  // namespace harness
