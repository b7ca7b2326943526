#include "systems/loki/allocation_program.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace harness {
namespace {

// Shares below this count as 0, because of the solver's tolerance (but one of the paths that share a flow is
// kept).
constexpr double kLeastShare = 10 * kMilpTolerance;

template <class Values>
decltype(auto) at(Values& values, int index) {
  return values[static_cast<std::size_t>(index)];
}

}  // namespace

AllocationProgram::AllocationProgram(const AllocationProblem& problem, const AugmentedGraph& graph,
                                     const Goal& goal)
    : problem_(problem), graph_(graph), goal_(goal) {
  children_.resize(graph.prefixes.size());
  through_.resize(graph.vertices.size());
  choices_.resize(problem.pipeline->modules.size());
  for (std::size_t p = 0; p < graph.prefixes.size(); ++p) {
    const GraphPrefix& prefix = graph.prefixes[p];
    at(through_, prefix.vertex).push_back(static_cast<int>(p));
    if (prefix.parent >= 0) at(children_, prefix.parent).push_back(static_cast<int>(p));
  }
  for (std::size_t v = 0; v < graph.vertices.size(); ++v)
    choices_[graph.vertices[v].variant].push_back(static_cast<int>(v));
  add_vertices();
  add_flows();
  add_balance();
  add_loads();
  add_choices();
  add_task_sums();
}

void AllocationProgram::add_vertices() {
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    double most_load = 0;  // in workers, if all requests came here
    for (const int p : through_[v]) most_load = std::max(most_load, load_of(p));
    const double most = std::clamp(std::ceil(most_load), 1.0, static_cast<double>(problem_.workers));
    const bool choice = choices_[graph_.vertices[v].variant].size() > 1;
    workers_.push_back(
        milp_.add_variable(0, goal_.serve_all ? most : problem_.workers, -goal_.worker, !choice));
    picks_.push_back(choice ? milp_.add_variable(0, 1, 0, true) : -1);
  }
}

double AllocationProgram::load_of(int prefix) const {
  const GraphPrefix& at_vertex = at(graph_.prefixes, prefix);
  return goal_.demand_rps * at_vertex.visits / at(graph_.vertices, at_vertex.vertex).rate_rps;
}

void AllocationProgram::add_flows() {
  for (std::size_t p = 0; p < graph_.prefixes.size(); ++p) {
    const GraphPrefix& prefix = graph_.prefixes[p];
    const double load = load_of(static_cast<int>(p));
    const double most = load > problem_.workers ? problem_.workers / load : 1;
    double worth = prefix.sink ? goal_.accuracy * prefix.accuracy / graph_.sinks : 0;
    if (prefix.parent < 0) worth += goal_.served;
    flows_.push_back(milp_.add_variable(0, most, worth, false));
  }
}

// Adds the balance: every request takes one way on to each task that follows.
void AllocationProgram::add_balance() {
  std::vector<MilpTerm> root;
  for (std::size_t p = 0; p < graph_.prefixes.size(); ++p) {
    const GraphPrefix& prefix = graph_.prefixes[p];
    if (prefix.parent < 0) root.push_back({flows_[p], 1});
    const std::size_t subs = problem_.fan_out[at(graph_.vertices, prefix.vertex).variant].size();
    for (std::size_t s = 0; s < subs; ++s) {
      std::vector<MilpTerm> terms = {{flows_[p], -1}};
      for (const int child : children_[p])
        if (at(graph_.prefixes, child).sub == static_cast<int>(s)) terms.push_back({at(flows_, child), 1});
      milp_.add_row(0, 0, terms);
    }
  }
  milp_.add_row(goal_.serve_all ? 1 : 0, 1, root);
}

// Adds Constraint 2, in workers. Any flow, however little, also needs a worker: since workers are whole
// numbers, the loads alone ensure this unless all requests together load less than one worker.
void AllocationProgram::add_loads() {
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    std::vector<MilpTerm> load = {{workers_[v], -1}};
    std::vector<MilpTerm> open = {{workers_[v], -1}};
    double least_load = 1;
    for (const int p : through_[v]) {
      if (load_of(p) > 0) load.push_back({at(flows_, p), load_of(p)});
      open.push_back({at(flows_, p), 1});
      least_load = std::min(least_load, load_of(p));
    }
    milp_.add_row(-kMilpInfinity, 0, load);
    if (least_load < 1) milp_.add_row(-kMilpInfinity, 0, open);
  }
}

// Adds Constraints 3 and 4.
void AllocationProgram::add_choices() {
  std::vector<MilpTerm> all;
  for (const int workers : workers_) all.push_back({workers, 1});
  milp_.add_row(-kMilpInfinity, problem_.workers, all);
  for (const std::vector<int>& vertices : choices_) {
    if (vertices.size() < 2) continue;
    std::vector<MilpTerm> one;
    for (const int v : vertices) {
      one.push_back({at(picks_, v), 1});
      const double most = milp_.columns()[static_cast<std::size_t>(at(workers_, v))].upper;
      milp_.add_row(-kMilpInfinity, 0, std::vector<MilpTerm>{{at(workers_, v), 1}, {at(picks_, v), -most}});
    }
    milp_.add_row(-kMilpInfinity, 1, one);
    add_sum(vertices);
  }
}

// Adds the sums over tasks: a branch on the workers of a task splits the problem further than a branch on the
// workers of a variant.
void AllocationProgram::add_task_sums() {
  std::vector<std::vector<int>> vertices(choices_.size());
  for (std::size_t m = 0; m < choices_.size(); ++m) {
    std::vector<int>& of_task = vertices[problem_.pipeline->task_of(static_cast<ModuleId>(m))];
    of_task.insert(of_task.end(), choices_[m].begin(), choices_[m].end());
  }
  for (std::size_t m = 0; m < choices_.size(); ++m)
    if (vertices[m].size() > choices_[m].size()) add_sum(vertices[m]);
}

void AllocationProgram::add_sum(const std::vector<int>& vertices) {
  std::vector<MilpTerm> sum = {{milp_.add_variable(0, problem_.workers, 0, true), -1}};
  for (const int v : vertices) sum.push_back({at(workers_, v), 1});
  milp_.add_row(0, 0, sum);
}

std::vector<bool> AllocationProgram::variables_of(const std::vector<bool>& vertices) const {
  std::vector<bool> used(milp_.columns().size(), true);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (vertices[v]) continue;
    at(used, workers_[v]) = false;
    if (picks_[v] >= 0) at(used, picks_[v]) = false;
  }
  for (std::size_t p = 0; p < graph_.prefixes.size(); ++p) {
    const GraphPrefix& prefix = graph_.prefixes[p];
    const bool reached = prefix.parent < 0 || at(used, at(flows_, prefix.parent));
    at(used, flows_[p]) = reached && at(vertices, prefix.vertex);
  }
  return used;
}

std::vector<bool> AllocationProgram::chosen(std::span<const double> values) const {
  std::vector<bool> chosen;
  for (const int workers : workers_) chosen.push_back(at(values, workers) > 0.5);
  return chosen;
}

// Returns the flows without the traces of the solver's tolerance: exact sums from the root on.
std::vector<double> AllocationProgram::clean_flows(std::span<const double> values,
                                                   const std::vector<bool>& chosen) const {
  std::vector<double> flows(graph_.prefixes.size(), 0.0);
  std::vector<double> raw(graph_.prefixes.size(), 0.0);
  const auto share = [&](const std::vector<int>& among, int sub, double whole) {
    double most = 0, sum = 0;
    for (const int p : among)
      if (at(graph_.prefixes, p).sub == sub) most = std::max(most, at(raw, p));
    const auto counts = [&](int p) {
      return at(graph_.prefixes, p).sub == sub && at(raw, p) >= std::min(kLeastShare, most);
    };
    for (const int p : among)
      if (counts(p)) sum += at(raw, p);
    for (const int p : among)
      if (counts(p) && sum > 0) at(flows, p) = at(raw, p) / sum * whole;
  };
  std::vector<int> roots;
  for (std::size_t p = 0; p < graph_.prefixes.size(); ++p) {
    if (at(chosen, graph_.prefixes[p].vertex)) raw[p] = at(values, flows_[p]);
    if (graph_.prefixes[p].parent < 0) roots.push_back(static_cast<int>(p));
  }
  share(roots, 0, 1);
  for (std::size_t p = 0; p < graph_.prefixes.size(); ++p) {
    const std::size_t subs = problem_.fan_out[at(graph_.vertices, graph_.prefixes[p].vertex).variant].size();
    for (std::size_t s = 0; s < subs; ++s) share(children_[p], static_cast<int>(s), flows[p]);
  }
  return flows;
}

void AllocationProgram::add_paths(const std::vector<double>& flows, Allocation& plan) const {
  for (std::size_t p = 0; p < flows.size(); ++p) {
    const GraphPrefix& prefix = graph_.prefixes[p];
    if (!prefix.sink || flows[p] <= 0) continue;
    PathFlow flow{.path = {}, .share = flows[p]};
    for (int q = static_cast<int>(p); q >= 0; q = at(graph_.prefixes, q).parent)
      flow.path.push_back(at(graph_.vertices, at(graph_.prefixes, q).vertex).variant);
    std::reverse(flow.path.begin(), flow.path.end());
    plan.accuracy += flow.share * prefix.accuracy / graph_.sinks;
    plan.flows.push_back(std::move(flow));
  }
  const auto sink_of = [&](const PathFlow& flow) { return problem_.pipeline->task_of(flow.path.back()); };
  std::sort(plan.flows.begin(), plan.flows.end(), [&](const PathFlow& a, const PathFlow& b) {
    return sink_of(a) != sink_of(b) ? sink_of(a) < sink_of(b) : a.path < b.path;
  });
}

// Returns the visits that a request makes there, by vertex.
std::vector<double> AllocationProgram::visits_of(const std::vector<double>& flows) const {
  std::vector<double> visits(graph_.vertices.size(), 0);
  for (std::size_t v = 0; v < visits.size(); ++v)
    for (const int p : through_[v]) visits[v] += at(flows, p) * at(graph_.prefixes, p).visits;
  return visits;
}

// Returns the largest demand with which no variant has more than its workers can do.
double AllocationProgram::carried_rps(const std::vector<double>& visits, const Allocation& plan) const {
  double least_rps = kMilpInfinity;
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    const double capacity_rps = plan.workers[graph_.vertices[v].variant] * graph_.vertices[v].rate_rps;
    if (visits[v] > 0) least_rps = std::min(least_rps, capacity_rps / visits[v]);
  }
  return std::isfinite(least_rps) ? least_rps : 0;
}

// Takes the smallest batch size for each variant that can do its part with several batch sizes of the graph.
// The program leaves them open, so the solver may have taken another one.
void AllocationProgram::take_smallest_batches(const std::vector<double>& visits, Allocation& plan) const {
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    const GraphVertex& taken = graph_.vertices[v];
    const int workers = plan.workers[taken.variant];
    if (workers == 0 || plan.batch[taken.variant] != taken.batch) continue;
    for (const int choice : choices_[taken.variant]) {
      const GraphVertex& vertex = at(graph_.vertices, choice);
      if (workers * vertex.rate_rps < visits[v] * plan.demand_rps) continue;
      plan.batch[taken.variant] = std::min(taken.batch, vertex.batch);
      break;
    }
  }
}

Allocation AllocationProgram::allocation(std::span<const double> values) const {
  Allocation plan;
  plan.feasible = true;
  plan.workers.assign(problem_.pipeline->modules.size(), 0);
  plan.batch.assign(problem_.pipeline->modules.size(), 1);
  for (std::size_t v = 0; v < graph_.vertices.size(); ++v) {
    const int workers = static_cast<int>(std::lround(at(values, workers_[v])));
    if (workers == 0) continue;
    plan.workers[graph_.vertices[v].variant] = workers;
    plan.batch[graph_.vertices[v].variant] = graph_.vertices[v].batch;
  }
  const std::vector<double> flows = clean_flows(values, chosen(values));
  const std::vector<double> visits = visits_of(flows);
  plan.demand_rps = carried_rps(visits, plan);
  if (goal_.serve_all) plan.demand_rps = std::min(plan.demand_rps, goal_.demand_rps);
  take_smallest_batches(visits, plan);
  add_paths(flows, plan);
  return plan;
}

}  // namespace harness
