// Small random integer programs and their optimum by trying every point, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/serving/milp.h"

namespace harness {

/// Returns a program with 2 to 5 integer variables in small boxes and 1 to 5 rows; some rows are equalities,
/// some have two sides. The factors are quarters, so that sums are exact.
inline Milp random_program(std::uint64_t seed) {
  RandomStream stream(seed, "program");
  const auto whole = [&](int low, int high) {
    const int choices = high - low + 1;
    return low + static_cast<int>(stream.below(static_cast<std::uint64_t>(choices)));
  };
  Milp problem;
  const int variables = whole(2, 5);
  for (int i = 0; i < variables; ++i) {
    const int lower = whole(-3, 1);
    problem.add_variable(lower, lower + whole(0, 4), whole(-20, 20) / 4.0, true);
  }
  const int rows = whole(1, 5);
  for (int row = 0; row < rows; ++row) {
    std::vector<MilpTerm> terms;
    for (int i = 0; i < variables; ++i)
      if (stream.uniform() < 0.7) terms.push_back({i, whole(-12, 12) / 4.0});
    const double bound = whole(-20, 20) / 4.0;
    const double kind = stream.uniform();
    if (kind < 0.15) {
      problem.add_row(bound, bound, terms);
    } else if (kind < 0.3) {
      problem.add_row(bound - whole(0, 8) / 4.0, bound, terms);
    } else if (kind < 0.7) {
      problem.add_row(bound, kMilpInfinity, terms);
    } else {
      problem.add_row(-kMilpInfinity, bound, terms);
    }
  }
  return problem;
}

/// Calls `visit` with every whole point within the bounds of all variables.
template <class Visit>
void each_point(const Milp& problem, const Visit& visit) {
  std::vector<double> point;
  for (const Milp::Column& column : problem.columns()) point.push_back(std::ceil(column.lower));
  for (;;) {
    visit(point);
    std::size_t i = 0;
    while (i < point.size() && point[i] + 1 > problem.columns()[i].upper) {
      point[i] = std::ceil(problem.columns()[i].lower);
      ++i;
    }
    if (i == point.size()) return;
    point[i] += 1;
  }
}

/// Returns the best objective of a bounded program of integers, or nothing if the program has no solution.
inline std::optional<double> best_by_enumeration(const Milp& problem) {
  std::optional<double> best;
  each_point(problem, [&](const std::vector<double>& point) {
    if (problem.violation(point) > 0) return;
    best = std::max(best.value_or(-kMilpInfinity), problem.objective(point));
  });
  return best;
}

}  // namespace harness
