// Loki's routing tables (section 5.1): the workers of the next task to which a visit may go, with their
// probabilities, and the workers that have capacity left.
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

// The choices that Loki's Load Balancer leaves open (section 5), as parameters.

/// The destination of what is left of a flow when every worker of the next task is full (Algorithm 1).
enum class Overflow : std::uint8_t {
  kEqual,     ///< equal parts to the task's workers
  kCapacity,  ///< parts in proportion to capacity: all workers are overloaded alike
  kLast,      ///< the last worker in order, the least accurate one
  kDrop       ///< nowhere: the table's probabilities then sum to less than 1
};

/// The way to fill workers of one variant, which are equally accurate.
enum class Ties : std::uint8_t {
  kFill,   ///< one after the other, the lowest id first
  kSpread  ///< together, in proportion to the capacity that each has left
};

/// The rule by which requests are given up before they are late (section 5.2; the four of Figure 7).
enum class EarlyDropping : std::uint8_t { kOff, kLastTask, kPerTask, kReroute };

/// The moment at which a visit is judged.
enum class DropAt : std::uint8_t {
  kEnd,   ///< when its task has run it (section 5.2)
  kStart  ///< when its turn in the queue has come, by when its batch would end (section 6.3)
};

/// The limit that a visit must keep when its turn comes at a last task.
enum class DueBy : std::uint8_t {
  kRequest,  ///< its request's deadline
  kTask      ///< its arrival at the task plus the task's latency budget
};

/// The time that a batch is expected to execute before it has started.
enum class ExpectedBatch : std::uint8_t {
  kPlanned,  ///< time of a batch of the planned size
  kQueued    ///< time of a batch of all waiting visits, up to the planned size
};

/// The limit of the worker to which a visit is rerouted that is behind by x, if the drawn worker takes y.
enum class RerouteLimit : std::uint8_t {
  kExecution,  ///< its execution time must be at most y - x (section 5.2)
  kBudget      ///< its latency budget must be at most the drawn worker's less x
};

/// The moment at which a free worker starts a batch.
enum class LaunchRule : std::uint8_t {
  kFree,  ///< at once
  kWait   ///< when it is full, or its first visit would miss its limit if it waited any longer
};

/// The parameters of giving up visits in queues, for all three systems; the rule that they follow is the
/// system's own.
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

/// The way to draw a worker from a table of probabilities.
enum class Draw : std::uint8_t {
  kRandom,  ///< independently for each visit
  kEven     ///< nearly in turns, so that the shares hold after few visits
};

/// The choice of the worker that gets a request at the first task.
enum class RootRouting : std::uint8_t {
  kTable,    ///< a worker drawn as at the later tasks (section 5.1)
  kShortest  ///< the worker with the fewest outstanding visits among the ones that may be drawn
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
  /// Lists the parameters of all three systems; `ties` matters only for systems that route by tables.
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
  ModuleId module = 0;      ///< module of its variant
  double capacity_rps = 0;  ///< throughput of the variant at its planned batch size; 0: it takes nothing
  TimeNs exec_ns = 0;       ///< execution time at that batch size
};

/// An entry of a routing table. `worker` is a place in the workers that the tables were made from.
struct RoutingEntry {
  std::uint32_t worker = 0;
  double probability = 0;
  double up_to = 0;    ///< sum of the probabilities to here; 1 at the end unless some are to be dropped
  TimeNs exec_ns = 0;  ///< execution time of the worker
};

/// An entry of a backup table.
struct Backup {
  std::uint32_t worker = 0;
  double leftover_rps = 0;
  double accuracy = 0;  ///< accuracy of its variant
  TimeNs exec_ns = 0;
};

/// The tables of the frontend and of all workers. Plain values: may be copied and published.
class RoutingTables {
 public:
  /// Returns the table for requests as they enter, to the first task.
  std::span<const RoutingEntry> frontend() const { return into(0); }
  /// Returns the table for visits that worker `worker` has served, to the task at that index of its module's
  /// `subs`.
  std::span<const RoutingEntry> from(std::size_t worker, std::size_t sub) const {
    return table(first_table_[worker] + sub);
  }
  /// Returns the table to a task for the flows from all senders together. It is for visits that were served
  /// by a worker which the tables do not know. `task` is an index in Pipeline::tasks, or the module if there
  /// are no tasks.
  std::span<const RoutingEntry> into(std::size_t task) const { return table(task); }

  /// Returns the task's workers with capacity left, the most accurate first. Rerouting may use the capacity
  /// up.
  std::span<const Backup> backups(std::size_t task) const {
    return {backups_.data() + backed_[task], count(task)};
  }
  std::span<Backup> backups(std::size_t task) { return {backups_.data() + backed_[task], count(task)}; }

  /// Returns the visits/s that the tables send to the worker.
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
  std::vector<Extent> tables_;            ///< extents of the tables: into the tasks, then from the workers
  std::vector<std::size_t> first_table_;  ///< index of its first table, by worker
  std::vector<Backup> backups_;           ///< backup tables of all tasks, one after the other
  std::vector<std::size_t> backed_;       ///< index of its first backup, by task; one more at the end
  std::vector<double> incoming_;          ///< visits/s sent to each worker
};

/// Returns the entry of `table` on which the number, in [0, 1), falls; null if the visit is to be dropped.
const RoutingEntry* draw(std::span<const RoutingEntry> table, double number);

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

// The numbers by which entries of routing tables are drawn (Loki, section 5.1: tables hold probabilities).

/// The random numbers of one router, in its thread. They lie in [0, 1) and are independent and uniform or
/// (Draw::kEven, reconstructed) steps of the golden ratio. The first n parts of these steps lie as evenly as
/// can be for every n at once, so that workers of equal probability are taken nearly in turns.
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
  /// Returns the stream for choices that are random under either kind of draw.
  RandomStream& random() { return random_; }

 private:
  static constexpr double kGoldenRatio = 0.6180339887498949;  ///< golden ratio less 1

  RandomStream random_;
  bool even_;
  double at_ = 0;
};

}  // namespace harness
