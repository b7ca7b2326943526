#include "harness/milp/milp.h"

#include <coin/Cbc_C_Interface.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "harness/core/error.h"

namespace harness {
namespace {

constexpr double kCbcInfinity = std::numeric_limits<double>::max();
// Larger than any violation that rounding integers within the tolerance leaves in a row.
constexpr double kAcceptedViolation = 10 * kMilpTolerance;
constexpr double kCbcNoValue = 1e49;  // CBC has values of 1e50 and above where it knows none
// Values of Cbc_secondaryStatus.
constexpr int kStoppedOnGap = 2;
constexpr int kRelaxationUnbounded = 7;

struct DeleteModel {
  void operator()(Cbc_Model* model) const { Cbc_deleteModel(model); }
};
using Model = std::unique_ptr<Cbc_Model, DeleteModel>;

double for_cbc(double bound) { return std::clamp(bound, -kCbcInfinity, kCbcInfinity); }

// The problem as columns, to be minimised. CBC answers for programs with an integer only, so one that is
// fixed comes last.
Model load(const MilpProblem& problem, bool with_objective) {
  std::vector<std::vector<MilpTerm>> entries(problem.columns().size() + 1);  // by column: row, factor
  std::vector<double> row_lower, row_upper;
  for (int row = 0; row < problem.rows(); ++row) {
    const MilpProblem::Row& source = problem.row_list()[static_cast<std::size_t>(row)];
    for (const MilpTerm& term : source.terms)
      entries[static_cast<std::size_t>(term.variable)].push_back({row, term.factor});
    row_lower.push_back(for_cbc(source.lower));
    row_upper.push_back(for_cbc(source.upper));
  }
  std::vector<CoinBigIndex> starts = {0};
  std::vector<int> indices;
  std::vector<double> factors;
  for (const std::vector<MilpTerm>& column : entries) {
    for (const MilpTerm& entry : column) {
      indices.push_back(entry.variable);
      factors.push_back(entry.factor);
    }
    starts.push_back(static_cast<CoinBigIndex>(indices.size()));
  }
  std::vector<double> lower, upper, cost;
  for (const MilpProblem::Column& column : problem.columns()) {
    lower.push_back(for_cbc(column.integer ? std::ceil(column.lower - kMilpTolerance) : column.lower));
    upper.push_back(for_cbc(column.integer ? std::floor(column.upper + kMilpTolerance) : column.upper));
    cost.push_back(with_objective ? -column.objective : 0);
  }
  lower.push_back(0), upper.push_back(0), cost.push_back(0);
  Model model(Cbc_newModel());
  Cbc_setLogLevel(model.get(), 0);
  // The preprocessing of Debian 12's Cgl 0.60.3 loses the optimum of one small program in a thousand with
  // general integers (milp_brute_force_test.cc).
  Cbc_setParameter(model.get(), "preprocess", "off");
  // Of its own accord CBC gives up what is better by less than 1e-5.
  Cbc_setParameter(model.get(), "increment", std::to_string(kMilpTolerance).c_str());
  Cbc_loadProblem(model.get(), problem.variables() + 1, problem.rows(), starts.data(), indices.data(),
                  factors.data(), lower.data(), upper.data(), cost.data(), row_lower.data(),
                  row_upper.data());
  for (int i = 0; i < problem.variables(); ++i)
    if (problem.columns()[static_cast<std::size_t>(i)].integer) Cbc_setInteger(model.get(), i);
  Cbc_setInteger(model.get(), problem.variables());
  return model;
}

void set_limits(Cbc_Model* model, const MilpLimits& limits) {
  if (limits.max_nodes >= 0)
    Cbc_setMaximumNodes(model, static_cast<int>(std::min<long>(limits.max_nodes, INT_MAX)));
  if (limits.relative_gap > 0) Cbc_setAllowableFractionGap(model, limits.relative_gap);
  if (limits.time_limit_s > 0) Cbc_setMaximumSeconds(model, limits.time_limit_s);
  if (!limits.cuts) Cbc_setParameter(model, "cuts", "off");
  Cbc_setParameter(model, "trustPseudoCosts", std::to_string(limits.branching_trials).c_str());
  if (!limits.heuristics) Cbc_setParameter(model, "heuristicsOnOff", "off");
}

void set_first(Cbc_Model* model, std::span<const double> first) {
  std::vector<int> indices;
  for (std::size_t i = 0; i < first.size(); ++i) indices.push_back(static_cast<int>(i));
  Cbc_setMIPStartI(model, static_cast<int>(first.size()), indices.data(), first.data());
}

// Bounds that nothing can satisfy; CBC must not see them.
bool contradicts_itself(const MilpProblem& problem) {
  for (const MilpProblem::Column& column : problem.columns()) {
    if (column.lower > column.upper) return true;
    if (column.integer &&
        std::ceil(column.lower - kMilpTolerance) > std::floor(column.upper + kMilpTolerance))
      return true;
  }
  return std::any_of(problem.row_list().begin(), problem.row_list().end(), [](const MilpProblem::Row& row) {
    return row.lower > row.upper || (row.terms.empty() && (row.lower > 0 || row.upper < 0));
  });
}

// Keeps `found`, made exactly whole and within bounds, if it is a solution and better than what is there.
void take(const MilpProblem& problem, std::span<const double> found, MilpSolution& into) {
  std::vector<double> values(found.begin(), found.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const MilpProblem::Column& column = problem.columns()[i];
    if (column.integer) values[i] = std::round(values[i]);
    values[i] = std::clamp(values[i], column.lower, column.upper);
  }
  if (problem.violation(values) > kAcceptedViolation) return;
  const double objective = problem.objective(values);
  if (!into.values.empty() && objective <= into.objective) return;
  into.objective = objective;
  into.values = std::move(values);
}

// What CBC said of a program.
struct Answer {
  bool finished = false;  // the search was complete, or ended by the gap
  bool infeasible = false;
  bool unbounded = false;  // the relaxation is
  bool gap_left = false;   // ended by the gap
  double bound = kMilpInfinity;
  long nodes = 0;
  std::vector<double> values;  // empty: no solution
};

Answer ask_cbc(const MilpProblem& problem, bool with_objective, const MilpLimits& limits,
               std::span<const double> first) {
  const Model model = load(problem, with_objective);
  set_limits(model.get(), limits);
  if (!first.empty()) set_first(model.get(), first);
  Cbc_solve(model.get());
  Answer answer;
  answer.finished = Cbc_status(model.get()) == 0;
  answer.unbounded = Cbc_secondaryStatus(model.get()) == kRelaxationUnbounded;
  answer.infeasible = answer.finished && !answer.unbounded && Cbc_isProvenInfeasible(model.get()) != 0;
  answer.gap_left = Cbc_secondaryStatus(model.get()) == kStoppedOnGap;
  answer.nodes = std::max(0, Cbc_getNodeCount(model.get()));
  const double best_possible = -Cbc_getBestPossibleObjValue(model.get());
  if (std::abs(best_possible) < kCbcNoValue) answer.bound = best_possible;
  const double* values = Cbc_bestSolution(model.get());
  if (values != nullptr) answer.values.assign(values, values + problem.variables());
  return answer;
}

// A program whose relaxation is unbounded is so itself, if it has a solution at all.
MilpStatus status_of_unbounded(const MilpProblem& problem, const MilpLimits& limits, MilpSolution& solution) {
  const Answer any = ask_cbc(problem, false, limits, {});
  solution.nodes += any.nodes;
  if (!solution.values.empty() || !any.values.empty()) return MilpStatus::kUnbounded;
  return any.infeasible ? MilpStatus::kInfeasible : MilpStatus::kNoSolution;
}

}  // namespace

int MilpProblem::add_variable(double lower, double upper, double objective, bool integer) {
  HARNESS_CHECK(!std::isnan(lower) && !std::isnan(upper) && std::isfinite(objective),
                "a variable's bound is not a number, or its objective not finite");
  columns_.push_back({lower, upper, objective, integer});
  return variables() - 1;
}

int MilpProblem::add_row(double lower, double upper, std::span<const MilpTerm> terms) {
  HARNESS_CHECK(!std::isnan(lower) && !std::isnan(upper), "a row's bound is not a number");
  for (const MilpTerm& term : terms)
    HARNESS_CHECK(term.variable >= 0 && term.variable < variables() && std::isfinite(term.factor),
                  "a row names an unknown variable, or its factor is not finite");
  rows_.push_back({lower, upper, {terms.begin(), terms.end()}});
  return rows() - 1;
}

double MilpProblem::objective(std::span<const double> values) const {
  double sum = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) sum += columns_[i].objective * values[i];
  return sum;
}

double MilpProblem::violation(std::span<const double> values) const {
  HARNESS_CHECK(values.size() == columns_.size(), "not one value per variable");
  double worst = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    worst = std::max({worst, columns_[i].lower - values[i], values[i] - columns_[i].upper});
    if (columns_[i].integer) worst = std::max(worst, std::abs(values[i] - std::round(values[i])));
  }
  for (const Row& row : rows_) {
    double sum = 0;
    double scale = 1;
    for (const MilpTerm& term : row.terms) {
      const double part = term.factor * values[static_cast<std::size_t>(term.variable)];
      sum += part;
      scale = std::max({scale, std::abs(part), std::abs(term.factor)});
    }
    worst = std::max({worst, (row.lower - sum) / scale, (sum - row.upper) / scale});
  }
  return worst;
}

MilpSolution solve(const MilpProblem& problem, const MilpLimits& limits, std::span<const double> first) {
  MilpSolution solution;
  if (!first.empty()) {
    HARNESS_CHECK(problem.violation(first) <= kMilpTolerance, "the first solution is none");
    take(problem, first, solution);
  }
  if (contradicts_itself(problem)) return {MilpStatus::kInfeasible, -kMilpInfinity, -kMilpInfinity, 0, {}};
  if (problem.variables() == 0) return {MilpStatus::kOptimal, 0, 0, 0, {}};
  const Answer answer = ask_cbc(problem, true, limits, solution.values);
  solution.nodes = answer.nodes;
  if (answer.unbounded) {
    solution.status = status_of_unbounded(problem, limits, solution);
    if (solution.status == MilpStatus::kInfeasible) solution.bound = -kMilpInfinity;
    if (solution.status == MilpStatus::kUnbounded) solution.objective = kMilpInfinity;
    solution.values.clear();
    return solution;
  }
  if (answer.infeasible && solution.values.empty())
    return {MilpStatus::kInfeasible, -kMilpInfinity, -kMilpInfinity, answer.nodes, {}};
  if (!answer.values.empty()) take(problem, answer.values, solution);
  if (solution.values.empty()) {
    solution.bound = answer.bound;
    return solution;
  }
  const bool finished = answer.finished && !answer.values.empty();
  const bool complete = finished && !answer.gap_left;
  solution.bound = complete ? solution.objective : std::max(solution.objective, answer.bound);
  // CBC reckons its gap against bounds that it improves on later, and may stop a little outside of it.
  const double gap = limits.relative_gap * std::abs(solution.bound) + kMilpTolerance;
  const bool proven = finished && solution.bound - solution.objective <= gap;
  solution.status = proven ? MilpStatus::kOptimal : MilpStatus::kFeasible;
  return solution;
}

MilpSolution solve_part(const MilpProblem& problem, const MilpLimits& limits, const std::vector<bool>& used) {
  HARNESS_CHECK(used.size() == problem.columns().size(), "not one entry per variable");
  MilpProblem part;
  std::vector<int> place(used.size(), -1);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const MilpProblem::Column& column = problem.columns()[i];
    HARNESS_CHECK(used[i] || (column.lower <= 0 && column.upper >= 0), "a variable cannot be 0");
    if (used[i]) place[i] = part.add_variable(column.lower, column.upper, column.objective, column.integer);
  }
  for (const MilpProblem::Row& row : problem.row_list()) {
    std::vector<MilpTerm> terms;
    for (const MilpTerm& term : row.terms) {
      const int variable = place[static_cast<std::size_t>(term.variable)];
      if (variable >= 0) terms.push_back({variable, term.factor});
    }
    if (!terms.empty() || row.lower > 0 || row.upper < 0) part.add_row(row.lower, row.upper, terms);
  }
  MilpSolution solution = solve(part, limits);
  if (solution.values.empty()) return solution;
  std::vector<double> values(used.size(), 0.0);
  for (std::size_t i = 0; i < used.size(); ++i)
    if (place[i] >= 0) values[i] = solution.values[static_cast<std::size_t>(place[i])];
  solution.values = std::move(values);
  return solution;
}

const char* status_name(MilpStatus status) {
  switch (status) {
    case MilpStatus::kOptimal:
      return "optimal";
    case MilpStatus::kFeasible:
      return "feasible";
    case MilpStatus::kInfeasible:
      return "infeasible";
    case MilpStatus::kUnbounded:
      return "unbounded";
    case MilpStatus::kNoSolution:
      return "no solution";
  }
  return "";
}

}  // namespace harness
