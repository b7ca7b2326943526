// Eq. 2 to the letter, its max-min goal and its products of variables linearised in the standard way, solved
// by harness/milp: an oracle for tests, with which bench/herd_bench compares too. Model-streams only (one
// share).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness/serving/milp.h"
#include "systems/shepherd/herd_affinity.h"

namespace harness {

/// Returns the program with the variables t; size_j; x_ij, w_ij = x_ij size_j; y_cj. z_kj is x_kj, as a model
/// has one stream. A group may have size 0. Every model needs a rate.
inline Milp literal_program(const HerdInput& input, int groups) {
  Milp problem;
  const auto count = input.models.size();
  const std::vector<int> sets = affinity_sets(input.models, input.params.affinity_limit);
  const int set_count = sets.empty() ? 0 : *std::max_element(sets.begin(), sets.end()) + 1;
  const int limit = input.params.group_worker_limit > 0 ? input.params.group_worker_limit : input.gpus;
  const double capacity = static_cast<double>(input.gpu_bytes) - input.params.reserved_mb * 1e6;
  using Terms = std::vector<MilpTerm>;
  const int t = problem.add_variable(0, kMilpInfinity, 1, false);
  Terms sizes;
  std::vector<Terms> assigned(count), reached(count);
  for (std::size_t i = 0; i < count; ++i)
    reached[i] = {{t, -input.models[i].rate_rps / input.models[i].goodput_rps}};
  for (int j = 0; j < groups; ++j) {
    const int size = problem.add_variable(0, std::min(limit, input.gpus), 0, true);  // (b)
    sizes.push_back({size, 1});
    Terms memory, chosen;
    std::vector<int> y;
    for (int c = 0; c < set_count; ++c) {
      y.push_back(problem.add_variable(0, 1, 0, true));
      chosen.push_back({y.back(), 1});
    }
    problem.add_row(1, 1, chosen);  // (e)
    for (std::size_t i = 0; i < count; ++i) {
      const int x = problem.add_variable(0, 1, 0, true);
      const int w = problem.add_variable(0, limit, 0, false);
      problem.add_row(-kMilpInfinity, 0, Terms{{w, 1}, {x, -static_cast<double>(limit)}});
      problem.add_row(-kMilpInfinity, 0, Terms{{w, 1}, {size, -1}});
      problem.add_row(-kMilpInfinity, 0, Terms{{x, 1}, {y[static_cast<std::size_t>(sets[i])], -1}});
      memory.push_back({x, static_cast<double>(input.models[i].bytes) / capacity});
      assigned[i].push_back({x, 1});
      reached[i].push_back({w, 1});
    }
    problem.add_row(-kMilpInfinity, 1, memory);  // (c)
  }
  problem.add_row(-kMilpInfinity, input.gpus, sizes);  // (a)
  for (std::size_t i = 0; i < count; ++i) {
    problem.add_row(1, 1, assigned[i]);  // (d)
    problem.add_row(0, kMilpInfinity, reached[i]);
  }
  return problem;
}

}  // namespace harness
