// The messages of PARD's parts: a worker's report to its State Planner, and the state that a planner
// publishes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/serving/visit.h"
#include "systems/pard/wait_table.h"

namespace harness {

/// Order of the queue: low or high remaining budget first.
enum class BudgetOrder { kLow, kHigh };

/// A module's published state, once per state period or more often. Layout, always kSize values: kVersion,
/// the fields below in order, the table.
struct PardState {
  static constexpr double kVersion = 3;
  static constexpr std::size_t kScalars = 18;
  static constexpr std::size_t kSize = kScalars + WaitTable::kPoints;

  // Fields for other modules (PARD section 5.4: queueing delay, batch size, throughput, drop rate, batch-wait
  // distribution).
  double queueing_ns = 0;     ///< q: mean queueing delay of the window
  double exec_ns = 0;         ///< d at the planned batch
  double batch = 0;           ///< planned batch size
  double throughput_rps = 0;  ///< T_m
  double input_rps = 0;       ///< T_in of the last period
  double drop_rate = 0;  ///< number of visits dropped here over the number that arrived here, last period
  // Fields for its own workers.
  double downstream_ns = 0;  ///< L_sub
  BudgetOrder order = BudgetOrder::kLow;
  // Fields for observers.
  double wait_ns = 0;  ///< w_k, part of L_sub
  double load = 0;     ///< mu
  double band = 0;     ///< eps
  double waits = 0;    ///< number of observed waits behind the table; 0: the table is U(0, d)
  // Fields for the variants wcl and oc.
  double worst_ns = 0;   ///< worst queueing + batch wait + execution of the window; 0: no visit started
  double level = 1;      ///< share of the requests that the module itself would admit
  double admitted = 1;   ///< least of its level and the levels of all later modules
  double budget_ns = 0;  ///< module's own budget for split and wcl; else SLO - L_sub, the time up to its end
  double period = 0;     ///< number of the state period of the values, from 1 on; each module counts its own
  WaitTable table;

  /// Returns the names of the first kScalars values of the layout, in order.
  static std::span<const char* const> names();

  /// Replaces `out` by the layout.
  void pack(std::vector<double>& out) const;
  /// Reads the layout. A span of another size or version is a bug.
  static PardState unpack(std::span<const double> values);
  /// The fields that workers use.
  struct ForWorker {
    double downstream_ns = 0;
    BudgetOrder order = BudgetOrder::kLow;
    double admitted = 1;
  };
  static ForWorker unpack_for_worker(std::span<const double> values);
};

/// The visits, drops and waits of one queue since its last report; collected in place, so that sending copies
/// them once.
class PardReport {
 public:
  /// Keeps at most the `most_waits` newest batch waits.
  void set_most_waits(std::size_t most_waits);
  void set_workers(int workers) { values_[kWorkers] = workers; }
  void add_arrival() { ++arrived_; }
  void add_drop() { ++dropped_; }
  /// Counts a dropped visit with that latency.
  void add_latency(TimeNs latency_ns) { worst_ns_ = std::max(worst_ns_, latency_ns); }
  /// Counts a batch that has started: the queueing delay of a visit is from arrival to join, its batch wait
  /// from join to start.
  void add_started(const BatchView& batch);

  /// Returns the report: the header, then the waits in ns. Valid until the next change.
  std::span<const double> values();
  /// Starts again; keeps the number of workers.
  void clear();

  /// A report as received.
  struct View {
    double workers = 0;
    double arrived = 0;
    double dropped = 0;
    double started = 0;
    double queueing_ns = 0;  ///< sum over the started visits
    /// Largest expected end - arrival of a started visit, or latency given to add_latency().
    double worst_ns = 0;
    std::span<const double> waits_ns;
  };
  static View view(std::span<const double> values);

 private:
  enum : std::size_t { kWorkers, kArrived, kDropped, kStarted, kQueueing, kWorst, kHeader };

  std::vector<double> values_ = std::vector<double>(kHeader, 0.0);
  std::size_t most_waits_ = 1;
  std::size_t oldest_ = 0;  ///< index of the oldest wait, once the waits are a ring
  std::int64_t started_ = 0;
  TimeNs queueing_ns_ = 0;
  TimeNs worst_ns_ = 0;
  // The counters of arrivals and drops come last: in PardPolicy the other members that an arrival touches
  // follow.
  std::int64_t arrived_ = 0;
  std::int64_t dropped_ = 0;
};

}  // namespace harness
