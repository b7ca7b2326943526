#include "harness/serving/milp.h"

#include <glpk.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

#include "harness/core/check.h"
#include "harness/core/memory.h"

namespace harness {
namespace {

// Larger than any violation that rounding integers within the tolerance leaves in a row.
constexpr double kAcceptedViolation = 10 * kMilpTolerance;

// GLPK keeps what it allocates in an environment of the thread.
struct Environment {
  Environment() {
    require_memory();  // without it GLPK ends the program
    glp_term_out(GLP_OFF);
  }
  ~Environment() { glp_free_env(); }
};

struct DeleteModel {
  void operator()(glp_prob* model) const { glp_delete_prob(model); }
};
using Model = std::unique_ptr<glp_prob, DeleteModel>;

int kind_of(double lower, double upper) {
  if (lower == upper) return GLP_FX;
  if (std::isinf(lower)) return std::isinf(upper) ? GLP_FR : GLP_UP;
  return std::isinf(upper) ? GLP_LO : GLP_DB;
}

Model load(const Milp& problem, bool with_objective) {
  Model model(glp_create_prob());
  glp_set_obj_dir(model.get(), GLP_MAX);
  if (problem.rows() > 0) glp_add_rows(model.get(), problem.rows());
  glp_add_cols(model.get(), problem.variables());
  for (int i = 0; i < problem.variables(); ++i) {
    const Milp::Column& column = problem.columns()[static_cast<std::size_t>(i)];
    const double lower = column.integer ? std::ceil(column.lower - kMilpTolerance) : column.lower;
    const double upper = column.integer ? std::floor(column.upper + kMilpTolerance) : column.upper;
    glp_set_col_bnds(model.get(), i + 1, kind_of(lower, upper), lower, upper);
    if (with_objective) glp_set_obj_coef(model.get(), i + 1, column.objective);
    if (column.integer) glp_set_col_kind(model.get(), i + 1, GLP_IV);
  }
  std::vector<int> columns;
  std::vector<double> factors;
  for (int i = 0; i < problem.rows(); ++i) {
    const Milp::Row& row = problem.row_list()[static_cast<std::size_t>(i)];
    columns.assign(1, 0);  // GLPK counts from 1
    factors.assign(1, 0);
    for (const MilpTerm& term : row.terms) {
      columns.push_back(term.variable + 1);
      factors.push_back(term.factor);
    }
    glp_set_mat_row(model.get(), i + 1, static_cast<int>(row.terms.size()), columns.data(), factors.data());
    glp_set_row_bnds(model.get(), i + 1, kind_of(row.lower, row.upper), row.lower, row.upper);
  }
  return model;
}

// Follows the search of GLPK: counts its nodes, gives it the first solution and stops it at a limit.
class Search {
 public:
  Search(const MilpLimits& limits, std::span<const double> first) : limits_(limits), first_(first) {}

  static void step(glp_tree* tree, void* search) { static_cast<Search*>(search)->step(tree); }

  long nodes() const { return nodes_; }
  bool stopped() const { return stopped_; }          // true if a limit stopped it
  bool gap_reached() const { return gap_reached_; }  // true if that limit was the gap
  double bound() const { return bound_; }            // bound when it stopped

 private:
  void step(glp_tree* tree) {
    switch (glp_ios_reason(tree)) {
      case GLP_IPREPRO:  // before a node is solved, or solved again with bounds that its branching gave
        if (limits_.max_nodes >= 0 && nodes_ >= limits_.max_nodes) return stop(tree);
        ++nodes_;
        return;
      case GLP_ISELECT:
      case GLP_IBINGO:
        if (limits_.relative_gap > 0) look_at_gap(tree);
        return;
      case GLP_IHEUR:
        if (!first_.empty()) give_first(tree);
        return;
      default:
        return;
    }
  }

  void give_first(glp_tree* tree) {
    std::vector<double> from_1(1, 0.0);
    from_1.insert(from_1.end(), first_.begin(), first_.end());
    first_ = {};
    glp_ios_heur_sol(tree, from_1.data());
  }

  void look_at_gap(glp_tree* tree) {
    glp_prob* model = glp_ios_get_prob(tree);
    if (glp_mip_status(model) != GLP_FEAS) return;
    const double bound = best_bound(tree);
    gap_reached_ = bound - glp_mip_obj_val(model) <= limits_.relative_gap * std::abs(bound);
    if (gap_reached_) stop(tree);
  }

  static double best_bound(glp_tree* tree) { return glp_ios_node_bound(tree, glp_ios_best_node(tree)); }

  void stop(glp_tree* tree) {
    stopped_ = true;
    bound_ = best_bound(tree);
    glp_ios_terminate(tree);
  }

  const MilpLimits& limits_;
  std::span<const double> first_;
  long nodes_ = 0;
  bool stopped_ = false;
  bool gap_reached_ = false;
  double bound_ = kMilpInfinity;
};

// True if nothing can satisfy the bounds; GLPK must not see such a program.
bool contradicts_itself(const Milp& problem) {
  for (const Milp::Column& column : problem.columns()) {
    if (column.lower > column.upper) return true;
    if (column.integer &&
        std::ceil(column.lower - kMilpTolerance) > std::floor(column.upper + kMilpTolerance))
      return true;
  }
  return std::any_of(problem.row_list().begin(), problem.row_list().end(), [](const Milp::Row& row) {
    return row.lower > row.upper || (row.terms.empty() && (row.lower > 0 || row.upper < 0));
  });
}

// Keeps `found`, made exactly whole and within bounds, if it is a solution and better than what is there.
// Returns true if it is a solution.
bool take(const Milp& problem, std::span<const double> found, MilpSolution& into) {
  std::vector<double> values(found.begin(), found.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Milp::Column& column = problem.columns()[i];
    if (column.integer) values[i] = std::round(values[i]);
    values[i] = std::clamp(values[i], column.lower, column.upper);
  }
  if (problem.violation(values) > kAcceptedViolation) return false;
  const double objective = problem.objective(values);
  if (!into.values.empty() && objective <= into.objective) return true;
  into.objective = objective;
  into.values = std::move(values);
  return true;
}

// GLPK's answer about a program.
struct Answer {
  bool finished = false;  // true if the search was complete, or ended by the gap
  bool infeasible = false;
  bool unbounded = false;  // true if the relaxation is unbounded
  bool gap_left = false;   // true if the gap ended the search
  double bound = kMilpInfinity;
  long nodes = 0;
  std::vector<double> values;  // values of the solution; empty: no solution
};

// Runs the dual simplex method or, if that gets into numerical trouble, the primal one from another basis.
int solve_relaxation(glp_prob* model) {
  glp_smcp how;
  glp_init_smcp(&how);
  how.msg_lev = GLP_MSG_OFF;
  how.meth = GLP_DUALP;
  glp_adv_basis(model, 0);
  if (glp_simplex(model, &how) == 0 && glp_get_status(model) != GLP_UNDEF) return glp_get_status(model);
  glp_std_basis(model);
  how.meth = GLP_PRIMAL;
  return glp_simplex(model, &how) == 0 ? glp_get_status(model) : GLP_UNDEF;
}

// Returns settings for branching alone: for the programs that planners state, cutting planes and the search
// for good solutions take more time than they save.
glp_iocp settings(Search& search) {
  glp_iocp how;
  glp_init_iocp(&how);
  how.msg_lev = GLP_MSG_OFF;
  how.br_tech = GLP_BR_PCH;
  how.tol_int = kMilpTolerance;
  how.cb_func = &Search::step;
  how.cb_info = &search;
  return how;
}

Answer ask_glpk(const Milp& problem, bool with_objective, const MilpLimits& limits,
                std::span<const double> first) {
  static thread_local const Environment kEnvironment;
  const Model model = load(problem, with_objective);
  const int relaxation = solve_relaxation(model.get());
  Answer answer;
  answer.unbounded = relaxation == GLP_UNBND;
  answer.infeasible = relaxation == GLP_NOFEAS;
  if (relaxation != GLP_OPT) return answer;
  answer.bound = glp_get_obj_val(model.get());
  Search search(limits, first);
  const glp_iocp how = settings(search);
  const bool complete = glp_intopt(model.get(), &how) == 0 && !search.stopped();
  const int status = glp_mip_status(model.get());
  answer.gap_left = search.gap_reached();
  answer.finished = complete || answer.gap_left;
  answer.infeasible = complete && status == GLP_NOFEAS;
  if (search.stopped()) answer.bound = std::min(answer.bound, search.bound());
  answer.nodes = search.nodes();
  if (status != GLP_OPT && status != GLP_FEAS) return answer;
  for (int i = 1; i <= problem.variables(); ++i) answer.values.push_back(glp_mip_col_val(model.get(), i));
  return answer;
}

// A program whose relaxation is unbounded is so itself, if it has a solution at all.
MilpStatus status_of_unbounded(const Milp& problem, const MilpLimits& limits, MilpSolution& solution) {
  const Answer any = ask_glpk(problem, false, limits, {});
  solution.nodes += any.nodes;
  if (!solution.values.empty() || !any.values.empty()) return MilpStatus::kUnbounded;
  return any.infeasible ? MilpStatus::kInfeasible : MilpStatus::kNoSolution;
}

}  // namespace

int Milp::add_variable(double lower, double upper, double objective, bool integer) {
  HARNESS_CHECK(!std::isnan(lower) && !std::isnan(upper) && std::isfinite(objective),
                "a variable's bound is not a number, or its objective not finite");
  columns_.push_back({lower, upper, objective, integer});
  return variables() - 1;
}

int Milp::add_row(double lower, double upper, std::span<const MilpTerm> terms) {
  HARNESS_CHECK(!std::isnan(lower) && !std::isnan(upper), "a row's bound is not a number");
  for (const MilpTerm& term : terms)
    HARNESS_CHECK(term.variable >= 0 && term.variable < variables() && std::isfinite(term.factor),
                  "a row names an unknown variable, or its factor is not finite");
  rows_.push_back({lower, upper, {terms.begin(), terms.end()}});
  return rows() - 1;
}

double Milp::objective(std::span<const double> values) const {
  double sum = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) sum += columns_[i].objective * values[i];
  return sum;
}

double Milp::violation(std::span<const double> values) const {
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

MilpSolution solve(const Milp& problem, const MilpLimits& limits, std::span<const double> first) {
  MilpSolution solution;
  if (!first.empty()) {
    HARNESS_CHECK(problem.violation(first) <= kMilpTolerance, "the first solution is not feasible");
    take(problem, first, solution);
  }
  if (contradicts_itself(problem)) return {MilpStatus::kInfeasible, -kMilpInfinity, -kMilpInfinity, 0, {}};
  if (problem.variables() == 0) return {MilpStatus::kOptimal, 0, 0, 0, {}};
  const Answer answer = ask_glpk(problem, true, limits, solution.values);
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
  const bool found = !answer.values.empty() && take(problem, answer.values, solution);
  if (solution.values.empty()) {
    solution.bound = answer.bound;
    return solution;
  }
  const bool finished = answer.finished && found;
  const bool complete = finished && !answer.gap_left;
  solution.bound = complete ? solution.objective : std::max(solution.objective, answer.bound);
  const double gap = limits.relative_gap * std::abs(solution.bound) + kMilpTolerance;
  const bool proven = finished && solution.bound - solution.objective <= gap;
  solution.status = proven ? MilpStatus::kOptimal : MilpStatus::kFeasible;
  return solution;
}

MilpSolution solve_part(const Milp& problem, const MilpLimits& limits, const std::vector<bool>& used) {
  HARNESS_CHECK(used.size() == problem.columns().size(), "not one entry per variable");
  Milp part;
  std::vector<int> place(used.size(), -1);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Milp::Column& column = problem.columns()[i];
    HARNESS_CHECK(used[i] || (column.lower <= 0 && column.upper >= 0), "a variable cannot be 0");
    if (used[i]) place[i] = part.add_variable(column.lower, column.upper, column.objective, column.integer);
  }
  for (const Milp::Row& row : problem.row_list()) {
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

}  // namespace harness
