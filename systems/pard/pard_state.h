// What PARD's parts tell one another: a worker's report to its State Planner, and the state that a planner
// publishes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/serving/visit.h"
#include "systems/pard/batch_wait.h"

namespace harness {

/// Order of the queue: low or high remaining budget first.
enum class BudgetOrder { kLow, kHigh };

/// A module's published state, once per state period or more often. Layout: kVersion, the fields below in
/// order, the table: always kSize values.
struct PardState {
  static constexpr double kVersion = 3;
  static constexpr std::size_t kScalars = 18;
  static constexpr std::size_t kSize = kScalars + WaitTable::kPoints;

  // What other modules use (PARD section 5.4: queueing delay, batch size, throughput, drop rate, batch-wait
  // distribution).
  double queueing_ns = 0;     ///< q: windowed mean queueing delay
  double exec_ns = 0;         ///< d at the planned batch
  double batch = 0;           ///< planned batch size
  double throughput_rps = 0;  ///< T_m
  double input_rps = 0;       ///< T_in of the last period
  double drop_rate = 0;       ///< dropped here / arrived here, last period
  // What its own workers use.
  double downstream_ns = 0;  ///< L_sub
  BudgetOrder order = BudgetOrder::kLow;
  // For whoever looks on.
  double wait_ns = 0;  ///< w_k, part of L_sub
  double load = 0;     ///< mu
  double band = 0;     ///< eps
  double waits = 0;    ///< observed waits behind the table; 0: the table is U(0, d)
  // What the variants wcl and oc use.
  double worst_ns = 0;   ///< worst queueing + batch wait + execution of the window; 0: nothing started
  double level = 1;      ///< share of the requests that the module itself would admit
  double admitted = 1;   ///< the least of its level and those of all later modules
  double budget_ns = 0;  ///< split, wcl: the module's own budget; else SLO - L_sub, up to its end
  double period = 0;     ///< the state period that it tells of, from 1 on; each module counts its own
  WaitTable table;

  /// Names of the first kScalars values of the layout, in order.
  static std::span<const char* const> names();

  /// Replaces `out` by the layout.
  void pack(std::vector<double>& out) const;
  /// The reverse; a span of another size or version is a bug.
  static PardState unpack(std::span<const double> values);
  /// Only the fields that workers use.
  struct ForWorker {
    double downstream_ns = 0;
    BudgetOrder order = BudgetOrder::kLow;
    double admitted = 1;
  };
  static ForWorker unpack_for_worker(std::span<const double> values);
};

/// What one queue has seen since its last report; collected in place, so that sending copies it once.
class PardReport {
 public:
  /// At most `most_waits` batch waits are kept, the newest.
  void set_most_waits(std::size_t most_waits);
  void set_workers(int workers) { values_[kWorkers] = workers; }
  void add_arrival() { ++arrived_; }
  void add_drop() { ++dropped_; }
  /// A dropped visit counts with that latency.
  void add_latency(TimeNs latency_ns) { worst_ns_ = std::max(worst_ns_, latency_ns); }
  /// A batch has started: queueing delay is arrival to join, batch wait join to start.
  void add_started(const BatchView& batch);

  /// The report: the header, then the waits in ns. Valid until the next change.
  std::span<const double> values();
  /// Starts again; the number of workers stays.
  void clear();

  /// A report as received.
  struct View {
    double workers = 0;
    double arrived = 0;
    double dropped = 0;
    double started = 0;
    double queueing_ns = 0;  ///< sum over the started visits
    double worst_ns = 0;     ///< largest expected end - arrival of a started visit, or of add_latency
    std::span<const double> waits_ns;
  };
  static View view(std::span<const double> values);

 private:
  enum : std::size_t { kWorkers, kArrived, kDropped, kStarted, kQueueing, kWorst, kHeader };

  std::vector<double> values_ = std::vector<double>(kHeader, 0.0);
  std::size_t most_waits_ = 1;
  std::size_t oldest_ = 0;  ///< of the waits, once they are a ring
  std::int64_t started_ = 0;
  TimeNs queueing_ns_ = 0;
  TimeNs worst_ns_ = 0;
  // What an arrival counts comes last: in PardPolicy what else it touches follows.
  std::int64_t arrived_ = 0;
  std::int64_t dropped_ = 0;
};

}  // namespace harness
