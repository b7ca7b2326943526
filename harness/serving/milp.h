// Mixed-integer linear programs: planners state them, GLPK solves them by branch and bound. Nothing of GLPK
// is seen outside milp.cc. Quiet, any thread; the same program with the same limits gives the same answer
// every time, to the bit, on every x86-64 processor: what is used of GLPK calls neither BLAS nor libm's log,
// exp and pow. GLPK ends the program where an assertion of its own fails.
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace harness {

/// A bound that is none.
inline constexpr double kMilpInfinity = std::numeric_limits<double>::infinity();

/// One summand of a row.
struct MilpTerm {
  int variable = 0;
  double factor = 0;
};

/// Maximise sum of objective_j x_j subject to bounds of the variables and of rows.
class MilpProblem {
 public:
  /// Adds a variable lower <= x <= upper (either may be infinite) and returns its index, 0 for the first. An
  /// integer variable takes whole numbers only.
  int add_variable(double lower, double upper, double objective, bool integer);
  /// Adds the constraint lower <= sum of factor x <= upper and returns its index. A variable stands at most
  /// once in `terms`.
  int add_row(double lower, double upper, std::span<const MilpTerm> terms);

  int variables() const { return static_cast<int>(columns_.size()); }
  int rows() const { return static_cast<int>(rows_.size()); }
  /// The objective at `values`, one per variable.
  double objective(std::span<const double> values) const;
  /// How far `values` are from allowed: the largest excess over a bound or over a row's bound, the latter
  /// relative to the size of the row's terms where that is above 1, or distance of an integer variable from a
  /// whole number.
  double violation(std::span<const double> values) const;

  struct Column {
    double lower = 0;
    double upper = 0;
    double objective = 0;
    bool integer = false;
  };
  struct Row {
    double lower = 0;
    double upper = 0;
    std::vector<MilpTerm> terms;
  };
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<Row>& row_list() const { return rows_; }

 private:
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

/// When to stop before the optimum is proven.
struct MilpLimits {
  long max_nodes = -1;      ///< solutions of nodes of the search tree, the first included; -1: no limit
  double relative_gap = 0;  ///< stop when bound - objective <= relative_gap * |bound|
};

enum class MilpStatus {
  kOptimal,     ///< proven: bound - objective is within the gap asked for
  kFeasible,    ///< stopped by a limit, or just outside the gap asked for, with a solution; `bound` holds
  kInfeasible,  ///< proven: no solution
  kUnbounded,   ///< proven: there are solutions, and none is best
  kNoSolution,  ///< stopped by a limit (or by the solver's numerical trouble) without a solution; `bound`
                ///< holds
};

struct MilpSolution {
  MilpStatus status = MilpStatus::kNoSolution;
  double objective = -kMilpInfinity;  ///< of `values`
  double bound = kMilpInfinity;       ///< no solution has a larger objective, within kMilpTolerance of scale
  long nodes = 0;                     ///< nodes of the search tree that were looked at
  std::vector<double> values;         ///< kOptimal and kFeasible: one per variable; integer ones are whole
};

/// What the solver takes for equal: violations of rows and bounds, distance from whole numbers, and (a tenth
/// of it) how much better than the best known a solution must be; each relative to the size of what is
/// compared where above 1.
inline constexpr double kMilpTolerance = 1e-6;

/// Solves `problem` by branch and bound. `first`, empty or one value per variable, is a solution to start
/// from; it must satisfy the problem within kMilpTolerance, anything else is a bug. The answer is never worse
/// than it. Every answer is checked against the problem before it is returned: it satisfies it within ten
/// times kMilpTolerance, and what GLPK calls a solution and is none is reported as kNoSolution (or `first`,
/// as kFeasible). A plan must not rest on that tolerance: planners take the whole numbers from the answer and
/// recompute the rates that these can carry.
MilpSolution solve(const MilpProblem& problem, const MilpLimits& limits, std::span<const double> first = {});

/// Solves what is left of `problem` where only the variables that `used` names are not 0 (which the bounds of
/// the others allow): `status` and `bound` are those of this smaller program, `values` of all variables.
MilpSolution solve_part(const MilpProblem& problem, const MilpLimits& limits, const std::vector<bool>& used);

}  // namespace harness
