// Loki's routing tables (section 5.1): which worker of the next task a visit goes to, with which probability,
// and which workers have capacity left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/core/params.h"
#include "harness/core/pipeline.h"
#include "harness/core/random.h"
#include "harness/core/types.h"

namespace harness {

// What Loki's Load Balancer leaves open (section 5), as parameters.

/// Where Algorithm 1 sends what is left of a flow when every worker of the next task is full.
enum class Overflow : std::uint8_t {
  kEqual,     ///< as much to each of the task's workers
  kCapacity,  ///< to each in proportion to its capacity: all are overloaded alike
  kLast,      ///< to the last in order, the least accurate one
  kDrop       ///< nowhere: the table's probabilities then sum below 1
};

/// How workers of one variant, which are equally accurate, are filled.
enum class Ties : std::uint8_t {
  kFill,   ///< one after the other, the lowest id first
  kSpread  ///< together, in proportion to what each has left
};

/// Which requests are given up before they are late (section 5.2; the four of Figure 7).
enum class EarlyDropping : std::uint8_t { kOff, kLastTask, kPerTask, kReroute };

/// When a visit is judged.
enum class DropAt : std::uint8_t {
  kEnd,   ///< when its task has run it (section 5.2)
  kStart  ///< when its turn in the queue has come, by when its batch would end (section 6.3)
};

/// What a visit must keep whose turn comes at a last task.
enum class DueBy : std::uint8_t {
  kRequest,  ///< its request's deadline
  kTask      ///< its arrival at the task and the task's latency budget
};

/// How long a batch is expected to execute that has not started.
enum class ExpectedBatch : std::uint8_t {
  kPlanned,  ///< as long as one of the planned size
  kQueued    ///< as long as one of what waits, up to the planned size
};

/// What a worker must keep that a visit which is behind is rerouted to.
enum class RerouteLimit : std::uint8_t {
  kExecution,  ///< its execution time at most y - x (section 5.2)
  kBudget      ///< its latency budget at most that of the drawn worker less x
};

/// When a free worker starts a batch.
enum class LaunchRule : std::uint8_t {
  kFree,  ///< at once
  kWait   ///< when it is full, or its first visit would miss its limit if it waited any longer
};

/// How queues give up visits, under any of the systems; which rule they follow is the system's own.
struct DroppingParams {
  DueBy deadline = DueBy::kRequest;
  LaunchRule launch = LaunchRule::kFree;
  ExpectedBatch expected_batch = ExpectedBatch::kPlanned;
  double budget_factor = 2;

  void list(ParamList& params) {
    params
        .choice("deadline", deadline, {"request", "task"},
                "what a visit must keep at a last task: its request's deadline, or the budget of the task")
        .reading();
    params
        .choice("expected_batch", expected_batch, {"planned", "queued"},
                "a batch that has not started is expected to execute as long as one of the planned size, or "
                "of what is queued")
        .reading();
    params.number("budget_factor", budget_factor, 1, 10,
                  "latency budget of a task over the execution time of its variant (section 4.2)");
  }
};

/// How a worker is drawn from a table of probabilities.
enum class Draw : std::uint8_t {
  kRandom,  ///< independently for each visit
  kEven     ///< so that the shares hold after few visits
};

/// Who gets a request at the first task.
enum class RootRouting : std::uint8_t {
  kTable,    ///< a worker drawn as at the later tasks (section 5.1)
  kShortest  ///< of the workers that may be drawn, the one with the fewest outstanding visits
};

struct RoutingParams {
  Overflow overflow = Overflow::kEqual;
  Ties ties = Ties::kSpread;
  Draw draw = Draw::kRandom;
  RootRouting root_routing = RootRouting::kTable;
  EarlyDropping early_dropping = EarlyDropping::kReroute;
  DropAt drop_at = DropAt::kStart;
  RerouteLimit reroute_limit = RerouteLimit::kExecution;
  bool reroutes_use_leftover = true;

  void list(ParamList& params) {
    params
        .choice("overflow", overflow, {"equal", "capacity", "last", "drop"},
                "where demand beyond the capacity of a task goes: spread over its workers equally, or in "
                "proportion to capacity; to the last, least accurate one; or dropped")
        .reading();
    list_choice(params);
    params.choice("early_dropping", early_dropping, {"none", "last_task", "per_task", "reroute"},
                  "which requests are given up before they are late (section 5.2, Figure 7)");
    params
        .choice("drop_at", drop_at, {"end", "start"},
                "when a visit is judged: when its task has run it (section 5.2), or before (section 6.3)")
        .reading();
    params
        .choice("reroute_limit", reroute_limit, {"execution", "budget"},
                "what makes up for x: execution within y - x (section 5.2), or a budget smaller by x")
        .reading();
    params
        .flag("reroutes_use_leftover", reroutes_use_leftover,
              "a rerouted visit uses up some of the leftover capacity of its new worker")
        .reading();
  }
  /// Of all three systems; `ties` where they route by tables.
  void list_choice(ParamList& params) {
    params
        .choice("ties", ties, {"fill", "spread"},
                "workers of one variant are filled one after the other (Algorithm 1), or together")
        .reading();
    params
        .choice("draw", draw, {"random", "even"},
                "workers are drawn from the tables' probabilities independently, or nearly in turns")
        .reading();
    params
        .choice("root_routing", root_routing, {"table", "shortest"},
                "who gets a request at the first task: a worker drawn as at later tasks, or, of those that "
                "may be drawn, the one with the fewest outstanding visits")
        .reading();
  }
};

/// A worker as the allocation made it.
struct RoutedWorker {
  WorkerId id = 0;
  ModuleId module = 0;      ///< its variant
  double capacity_rps = 0;  ///< throughput of the variant at its planned batch size; 0: takes nothing
  TimeNs exec_ns = 0;       ///< execution time at that batch size
};

/// An entry of a routing table. `worker` is a place in the workers that the tables were made from.
struct RoutingEntry {
  std::uint32_t worker = 0;
  double probability = 0;
  double up_to = 0;    ///< sum of the probabilities to here; 1 at the end unless some are to be dropped
  TimeNs exec_ns = 0;  ///< of the worker
};

/// An entry of a backup table.
struct Backup {
  std::uint32_t worker = 0;
  double leftover_rps = 0;
  double accuracy = 0;  ///< of its variant
  TimeNs exec_ns = 0;
};

/// The tables of the frontend and of all workers. Plain values: may be copied and published.
class RoutingTables {
 public:
  /// For requests as they enter: to the first task.
  std::span<const RoutingEntry> frontend() const { return into(0); }
  /// For visits that worker `worker` has served, to the task of that index in its module's `subs`.
  std::span<const RoutingEntry> from(std::size_t worker, std::size_t sub) const {
    return table(first_table_[worker] + sub);
  }
  /// To a task whoever sends: the flows from all senders together. For visits served by a worker that the
  /// tables do not know. `task`: index in Pipeline::tasks, or the module where there are none.
  std::span<const RoutingEntry> into(std::size_t task) const { return table(task); }

  /// The task's workers with capacity left, the most accurate first. Rerouting may use it up.
  std::span<const Backup> backups(std::size_t task) const {
    return {backups_.data() + backed_[task], count(task)};
  }
  std::span<Backup> backups(std::size_t task) { return {backups_.data() + backed_[task], count(task)}; }

  /// Visits/s that the tables send to the worker.
  double incoming_rps(std::size_t worker) const { return incoming_[worker]; }

 private:
  friend class MostAccurateFirst;
  struct Extent {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  std::span<const RoutingEntry> table(std::size_t index) const {
    return {routes_.data() + tables_[index].begin, tables_[index].end - tables_[index].begin};
  }
  std::size_t count(std::size_t task) const { return backed_[task + 1] - backed_[task]; }

  std::vector<RoutingEntry> routes_;
  std::vector<Extent> tables_;            ///< into the tasks, then from the workers
  std::vector<std::size_t> first_table_;  ///< by worker
  std::vector<Backup> backups_;           ///< by task
  std::vector<std::size_t> backed_;       ///< by task: its first backup; one more at the end
  std::vector<double> incoming_;          ///< by worker
};

/// The entry of `table` that the number, in [0, 1), falls on; null where it is to be dropped.
const RoutingEntry* draw(std::span<const RoutingEntry> table, double number);

/// MostAccurateFirst (Algorithm 1): task by task, the workers of a task, most accurate first, each send what
/// they take in times its fan-out to the most accurate workers of the next task that have capacity left.
/// Keeps what it works with, so that making tables again allocates nothing.
///
/// Reconstructed (RoutingParams): ties, overflow. Algorithm 1 leaves the tables of workers without demand
/// empty, though rerouted visits may come to them: here they send to where the next visit/s more would go,
/// the first worker that has capacity left, and when none has to where overflow goes.
class MostAccurateFirst {
 public:
  /// `pipeline`: a tree, of tasks or of single modules. Need not outlive this.
  MostAccurateFirst(const Pipeline& pipeline, Overflow overflow, Ties ties);

  /// `workers`: in order of id. `fan_out`: by module and entry of its `subs`, visits there per visit.
  /// `demand_rps`: requests/s at the root. Overwrites `tables`.
  void build(std::span<const RoutedWorker> workers, const std::vector<std::vector<double>>& fan_out,
             double demand_rps, RoutingTables& tables);

 private:
  struct Node {
    std::vector<std::size_t> subs;  ///< tasks
    std::size_t begin = 0;          ///< its workers in ranked_
    std::size_t end = 0;
    std::size_t open = 0;  ///< the first that may have capacity left
  };
  /// A worker at work.
  struct Ranked {
    std::uint32_t worker = 0;  ///< place in what build was given
    ModuleId module = 0;
    double capacity = 0;
    double left = 0;
    double incoming = 0;
    double routed = 0;  ///< of the flow being routed
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
  std::vector<Node> nodes_;           ///< by task, in topological order
  std::vector<std::size_t> node_of_;  ///< by module
  std::vector<double> accuracy_;      ///< by module
  std::vector<Ranked> ranked_;        ///< by task, the most accurate first, then by id
  std::vector<std::size_t> place_;    ///< by module: where its next worker is ranked
  std::vector<double> demand_;        ///< by task
};

// The numbers by which entries of routing tables are drawn (Loki, section 5.1: tables hold probabilities).

/// Of one router, in its thread. Numbers in [0, 1): independent and uniform, or (Draw::kEven, reconstructed)
/// steps of the golden ratio, whose first n parts lie as evenly as can be for every n at once, so that
/// workers of equal probability are taken nearly in turns.
class TableDraws {
 public:
  TableDraws(Draw draw, std::uint64_t seed, std::string_view name, ModuleId task)
      : random_(seed, name, task), even_(draw == Draw::kEven) {}

  double next() {
    if (!even_) return random_.uniform();
    at_ += kGoldenRatio;
    if (at_ >= 1) at_ -= 1;
    return at_;
  }
  /// For what is chosen at random under either.
  RandomStream& random() { return random_; }

 private:
  static constexpr double kGoldenRatio = 0.6180339887498949;  ///< less 1

  RandomStream random_;
  bool even_;
  double at_ = 0;
};

}  // namespace harness
