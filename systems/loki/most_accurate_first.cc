#include "systems/loki/most_accurate_first.h"

#include <algorithm>

#include "harness/core/check.h"

namespace harness {
namespace {

// Shares that rounding leaves over: of a flow that has been routed, and of a worker's capacity that has been
// used up.
constexpr double kFlowRounding = 1e-13;
constexpr double kCapacityRounding = 1e-9;

}  // namespace

MostAccurateFirst::MostAccurateFirst(const Pipeline& pipeline, Overflow overflow, Ties ties)
    : overflow_(overflow), ties_(ties), node_of_(pipeline.modules.size()) {
  for (std::size_t m = 0; m < pipeline.modules.size(); ++m) {
    const ModuleId first = pipeline.task_of(static_cast<ModuleId>(m));
    if (first == m) nodes_.emplace_back();
    node_of_[m] = nodes_.size() - 1;
    accuracy_.push_back(pipeline.modules[m].accuracy);
  }
  for (std::size_t m = 0; m < pipeline.modules.size(); ++m) {
    const Module& module = pipeline.modules[m];
    HARNESS_CHECK(module.pres.size() == (node_of_[m] == 0 ? 0U : 1U), "routing tables are of a tree");
    if (pipeline.task_of(static_cast<ModuleId>(m)) != m) continue;
    for (const ModuleId sub : module.subs) nodes_[node_of_[m]].subs.push_back(node_of_[sub]);
  }
  place_.resize(pipeline.modules.size());
  demand_.resize(nodes_.size());
}

void MostAccurateFirst::build(std::span<const RoutedWorker> workers,
                              const std::vector<std::vector<double>>& fan_out, double demand_rps,
                              RoutingTables& tables) {
  rank(workers);
  tables.routes_.clear();
  tables.tables_.assign(nodes_.size(), {});
  tables.first_table_.resize(workers.size());
  std::fill(demand_.begin(), demand_.end(), 0.0);

  demand_.front() = demand_rps;
  send(0, nodes_.front(), demand_rps, tables);
  for (std::size_t task = 0; task < nodes_.size(); ++task) {
    const Node& node = nodes_[task];
    if (task > 0) write_total(task, demand_[task], tables);
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const Ranked& worker = ranked_[i];
      tables.first_table_[worker.worker] = tables.tables_.size();
      for (std::size_t sub = 0; sub < node.subs.size(); ++sub) {
        const double outgoing = worker.incoming * fan_out[worker.module][sub];
        demand_[node.subs[sub]] += outgoing;
        tables.tables_.emplace_back();
        send(tables.tables_.size() - 1, nodes_[node.subs[sub]], outgoing, tables);
      }
    }
  }
  tables.incoming_.resize(workers.size());
  for (const Ranked& worker : ranked_) tables.incoming_[worker.worker] = worker.incoming;
  write_backups(tables);
}

// Ranks the workers. Variants of a task are modules one after the other, the most accurate first, so that
// ranking is counting.
void MostAccurateFirst::rank(std::span<const RoutedWorker> workers) {
  std::fill(place_.begin(), place_.end(), 0);
  for (const RoutedWorker& worker : workers) ++place_[worker.module];
  for (Node& node : nodes_) node.begin = node.end = 0;
  std::size_t before = 0;
  for (std::size_t m = 0; m < place_.size(); ++m) {
    Node& node = nodes_[node_of_[m]];
    if (m == 0 || node_of_[m] != node_of_[m - 1]) node.begin = node.open = before;
    const std::size_t count = place_[m];
    place_[m] = before;
    before += count;
    node.end = before;
  }
  ranked_.resize(workers.size());
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const RoutedWorker& worker = workers[i];
    HARNESS_CHECK(i == 0 || workers[i - 1].id < worker.id, "workers are in order of id");
    ranked_[place_[worker.module]++] = {static_cast<std::uint32_t>(i),
                                        worker.module,
                                        worker.capacity_rps,
                                        worker.capacity_rps,
                                        0,
                                        0,
                                        worker.exec_ns};
  }
}

/// Routes a flow of `outgoing` visits/s to `to` and writes its table.
void MostAccurateFirst::send(std::size_t table, Node& to, double outgoing, RoutingTables& tables) {
  if (!(outgoing > 0)) return send_more(table, to, tables);
  Range touched{to.open, to.open};
  const double rest = fill(to, outgoing, touched);
  bool all = rest <= kFlowRounding * outgoing;
  if (!all && overflow(to, rest)) {
    touched = {to.begin, to.end};
    all = true;
  }
  for (std::size_t i = touched.begin; i < touched.end; ++i) ranked_[i].incoming += ranked_[i].routed;
  write(table, touched, outgoing, all, tables);
}

/// Gives the flow to workers in order until they are full (lines 12 to 19) and returns what is left of it.
double MostAccurateFirst::fill(Node& to, double outgoing, Range& touched) {
  const double rounding = kFlowRounding * outgoing;
  while (outgoing > rounding && to.open < to.end) {
    const std::size_t end = group_end(to, to.open);
    double left = 0;
    for (std::size_t i = to.open; i < end; ++i) left += ranked_[i].left;
    const bool full = outgoing >= left;
    for (std::size_t i = to.open; i < end; ++i) {
      Ranked& worker = ranked_[i];
      worker.routed = full ? worker.left : std::min(worker.left, outgoing * (worker.left / left));
      worker.left = full ? 0 : worker.left - worker.routed;
    }
    outgoing = full ? outgoing - left : 0;
    touched.end = end;
    if (full) to.open = end;
  }
  return outgoing;
}

/// Adds `outgoing` to the visits that the task's workers get beyond their capacity; false if it is dropped.
bool MostAccurateFirst::overflow(const Node& to, double outgoing) {
  double count = 0;
  double capacity = 0;
  std::size_t last = to.end;
  for (std::size_t i = to.begin; i < to.end; ++i) {
    if (!(ranked_[i].capacity > 0)) continue;
    ++count;
    capacity += ranked_[i].capacity;
    last = i;
  }
  if (count == 0 || overflow_ == Overflow::kDrop) return false;
  if (overflow_ == Overflow::kLast) {
    ranked_[last].routed += outgoing;
    return true;
  }
  for (std::size_t i = to.begin; i < to.end; ++i) {
    Ranked& worker = ranked_[i];
    if (!(worker.capacity > 0)) continue;
    worker.routed +=
        overflow_ == Overflow::kEqual ? outgoing / count : outgoing * (worker.capacity / capacity);
  }
  return true;
}

/// Writes the table of a sender without demand: it leads where the next visits would go. Plans no flow.
void MostAccurateFirst::send_more(std::size_t table, const Node& to, RoutingTables& tables) {
  std::size_t open = to.open;
  while (open < to.end && !has_left(ranked_[open])) ++open;
  if (open == to.end) {
    return write(table, {to.begin, to.end}, 1, overflow(to, 1), tables);
  }
  const Range group{open, group_end(to, open)};
  double left = 0;
  for (std::size_t i = group.begin; i < group.end; ++i) left += ranked_[i].routed = ranked_[i].left;
  write(table, group, left, true, tables);
}

/// Writes the visits that the workers of `range` were routed as shares of `total`, and sets them back to 0.
/// `all` says that nothing is to be dropped.
void MostAccurateFirst::write(std::size_t table, Range range, double total, bool all, RoutingTables& tables) {
  const std::size_t begin = tables.routes_.size();
  double up_to = 0;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    Ranked& worker = ranked_[i];
    if (worker.routed > 0) {
      const double probability = worker.routed / total;
      up_to += probability;
      tables.routes_.push_back({worker.worker, probability, up_to, worker.exec_ns});
    }
    worker.routed = 0;
  }
  if (all && tables.routes_.size() > begin) tables.routes_.back().up_to = 1;
  tables.tables_[table] = {static_cast<std::uint32_t>(begin),
                           static_cast<std::uint32_t>(tables.routes_.size())};
}

/// Writes the table into a task from all senders, whose flows have been routed.
void MostAccurateFirst::write_total(std::size_t task, double demand, RoutingTables& tables) {
  const Node& node = nodes_[task];
  if (!(demand > 0)) return send_more(task, node, tables);
  double incoming = 0;
  for (std::size_t i = node.begin; i < node.end; ++i) incoming += ranked_[i].routed = ranked_[i].incoming;
  const bool all = overflow_ != Overflow::kDrop || incoming >= demand * (1 - kFlowRounding);
  write(task, {node.begin, node.end}, all ? incoming : demand, all, tables);
}

void MostAccurateFirst::write_backups(RoutingTables& tables) const {
  tables.backups_.clear();
  tables.backed_.clear();
  for (const Node& node : nodes_) {
    tables.backed_.push_back(tables.backups_.size());
    for (std::size_t i = node.open; i < node.end; ++i) {
      const Ranked& worker = ranked_[i];
      if (has_left(worker))
        tables.backups_.push_back({worker.worker, worker.left, accuracy_[worker.module], worker.exec_ns});
    }
  }
  tables.backed_.push_back(tables.backups_.size());
}

bool MostAccurateFirst::has_left(const Ranked& worker) {
  return worker.left > kCapacityRounding * worker.capacity;
}

/// Returns the end of the workers that are filled together with the one at `place`.
std::size_t MostAccurateFirst::group_end(const Node& to, std::size_t place) const {
  std::size_t end = place + 1;
  if (ties_ == Ties::kFill) return end;
  while (end < to.end && ranked_[end].module == ranked_[place].module) ++end;
  return end;
}

}  // namespace harness
