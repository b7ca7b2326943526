// Mixed-integer linear programs: planners state them, and GLPK solves them by branch and bound. Nothing of
// GLPK is seen outside milp.cc. The solver prints nothing and may run in any thread. The same program with
// the same limits gives the same answer every time, to the bit, on every x86-64 processor: the parts of GLPK
// that are used call neither BLAS nor log, exp and pow of libm. If an assertion of its own fails, GLPK ends
// the program.
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace harness {

/// The value that says that there is no bound.
inline constexpr double kMilpInfinity = std::numeric_limits<double>::infinity();

struct MilpTerm;

/// A problem: maximise the sum of objective_j x_j subject to bounds of the variables and of rows.
class Milp {
 public:
  /// Adds a variable lower <= x <= upper (either may be infinite) and returns its index, 0 for the first. An
  /// integer variable takes whole numbers only.
  int add_variable(double lower, double upper, double objective, bool integer);
  /// Adds the constraint lower <= sum of factor x <= upper and returns its index. A variable occurs at most
  /// once in `terms`.
  int add_row(double lower, double upper, std::span<const MilpTerm> terms);

  int variables() const { return static_cast<int>(columns_.size()); }
  int rows() const { return static_cast<int>(rows_.size()); }
  /// Returns the objective at `values`, one per variable.
  double objective(std::span<const double> values) const;
  /// Returns how far `values` are from being allowed: the largest excess over a variable's bound, excess over
  /// a row's bound or distance of an integer variable from a whole number. A row's excess is relative to the
  /// size of the row's terms if that is above 1.
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

/// One summand of a row.
struct MilpTerm {
  int variable = 0;
  double factor = 0;
};

/// Conditions on which the search stops before the optimum is proven.
struct MilpLimits {
  /// Largest number of solutions of nodes of the search tree, the first included; -1: no limit.
  long max_nodes = -1;
  double relative_gap = 0;  ///< the search stops when bound - objective <= relative_gap * |bound|
};

enum class MilpStatus {
  kOptimal,  ///< proven: bound - objective is within the gap asked for
  /// Stopped by a limit, or just outside the gap asked for, with a solution; `bound` is valid.
  kFeasible,
  kInfeasible,  ///< proven: no solution
  kUnbounded,   ///< proven: there are solutions, and no best one
  /// Stopped by a limit (or by the solver's numerical trouble) without a solution; `bound` is valid.
  kNoSolution,
};

struct MilpSolution {
  MilpStatus status = MilpStatus::kNoSolution;
  double objective = -kMilpInfinity;  ///< objective at `values`
  double bound = kMilpInfinity;       ///< no solution has a larger objective, within kMilpTolerance of scale
  long nodes = 0;                     ///< number of nodes of the search tree that were looked at
  /// Values for kOptimal and kFeasible, one per variable; integer ones are whole.
  std::vector<double> values;
};

/// The largest difference that the solver takes for equality. It holds for violations of rows and bounds, for
/// the distance from whole numbers and, by a tenth, for how much better than the best known solution another
/// one must be. Each is relative to the size of the compared values if that is above 1.
inline constexpr double kMilpTolerance = 1e-6;

/// Solves `problem` by branch and bound. `first` is empty or a solution to start from, with one value per
/// variable; it must satisfy the problem within kMilpTolerance, anything else is a bug. The answer is never
/// worse than `first`. Every answer is checked before it is returned: it satisfies the problem within ten
/// times kMilpTolerance. If GLPK calls something a solution that does not, the result is kNoSolution (or
/// `first`, as kFeasible). A plan must not rest on that tolerance: planners take the whole numbers from the
/// answer and recompute the rates that these can carry.
MilpSolution solve(const Milp& problem, const MilpLimits& limits, std::span<const double> first = {});

/// Solves the smaller program that is left of `problem` if all variables that `used` does not name are 0, as
/// their bounds must allow. `status` and `bound` refer to the smaller program, `values` to all variables.
MilpSolution solve_part(const Milp& problem, const MilpLimits& limits, const std::vector<bool>& used);

}  // namespace harness
