// Algorithm 1 of Loki, MostAccurateFirst (section 5.1), which makes routing tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/routing_tables.h"

namespace harness {

struct RoutedWorker;

/// Makes tables by MostAccurateFirst (Algorithm 1): task by task, the workers of a task, the most accurate
/// first, each send their incoming visits times their fan-out to the most accurate workers of the next task
/// that have capacity left. Memory is kept, so that making tables again allocates nothing.
///
/// Reconstructed (RoutingParams): ties, overflow. Algorithm 1 leaves the tables of workers without demand
/// empty, though rerouted visits may come to them. Here such a worker sends visits where the next visit/s
/// more would go: to the first worker that has capacity left or, if no worker has, where overflow goes.
class MostAccurateFirst {
 public:
  /// `pipeline` is a tree, of tasks or of single modules. It need not outlive this.
  MostAccurateFirst(const Pipeline& pipeline, Overflow overflow, Ties ties);

  /// Overwrites `tables`. `workers` are in order of id. `fan_out` is, by module and entry of its `subs`, the
  /// visits there per visit. `demand_rps` is the requests/s at the root.
  void build(std::span<const RoutedWorker> workers, const std::vector<std::vector<double>>& fan_out,
             double demand_rps, RoutingTables& tables);

 private:
  struct Node {
    std::vector<std::size_t> subs;  ///< tasks that follow
    std::size_t begin = 0;          ///< index of its first worker in ranked_; they end at `end`
    std::size_t end = 0;
    std::size_t open = 0;  ///< index of the first worker that may have capacity left
  };
  /// A worker while tables are being made.
  struct Ranked {
    std::uint32_t worker = 0;  ///< place in the workers that build() was given
    ModuleId module = 0;
    double capacity = 0;
    double left = 0;
    double incoming = 0;
    double routed = 0;  ///< visits/s that it gets of the flow being routed
    TimeNs exec_ns = 0;
  };
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void rank(std::span<const RoutedWorker> workers);
  void send(std::size_t table, Node& to, double outgoing, RoutingTables& tables);
  double fill(Node& to, double outgoing, Range& touched);
  bool overflow(const Node& to, double outgoing);
  void send_more(std::size_t table, const Node& to, RoutingTables& tables);
  void write(std::size_t table, Range range, double total, bool all, RoutingTables& tables);
  void write_total(std::size_t task, double demand, RoutingTables& tables);
  void write_backups(RoutingTables& tables) const;
  std::size_t group_end(const Node& to, std::size_t place) const;
  static bool has_left(const Ranked& worker);

  Overflow overflow_;
  Ties ties_;
  std::vector<Node> nodes_;           ///< tasks in topological order
  std::vector<std::size_t> node_of_;  ///< index of its task, by module
  std::vector<double> accuracy_;      ///< accuracy of each module
  std::vector<Ranked> ranked_;        ///< workers by task, the most accurate first, then by id
  std::vector<std::size_t> place_;    ///< index in ranked_ of its next worker, by module
  std::vector<double> demand_;        ///< visits/s that come to each task
};

/// A worker as the allocation made it.
struct RoutedWorker {
  WorkerId id = 0;
  ModuleId module = 0;      ///< module of its variant
  double capacity_rps = 0;  ///< throughput of the variant at its planned batch size; 0: it takes nothing
  TimeNs exec_ns = 0;       ///< execution time at that batch size
};

}  // namespace harness
