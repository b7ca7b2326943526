// The totals of a module over a run.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"
#include "harness/record/run/batch_ends.h"
#include "harness/record/run/gap_totals.h"
#include "harness/record/run/latency_histogram.h"
#include "harness/record/run/request_counts.h"

namespace harness {

/// Totals of one module.
struct ModuleTotals {
  std::uint64_t arrived = 0;
  std::uint64_t done = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t unfinished = 0;
  std::uint64_t batches = 0;    ///< batches started
  std::uint64_t preempted = 0;  ///< batches stopped before their end, whose visits waited again
  std::uint16_t depth = 1;      ///< modules on the longest path from the entry to it, both counted
  bool last = false;            ///< true if no module takes its output
  double visit_ratio = 1;  ///< probability that a request visits it, by the pipeline's choices of branches
  double accuracy = NAN;   ///< accuracy of its model, relative to the best of its task; NAN: it has none
  std::array<std::uint64_t, kDropReasons> dropped{};  ///< visits dropped here, by reason
  TimeNs queueing_ns = 0;           ///< sum over the visits that started of the time from arrival to join
  TimeNs wait_ns = 0;               ///< sum over the visits that started of the time from join to start
  TimeNs exec_ns = 0;               ///< sum over the visits done
  LatencyHistogram queueing_delay;  ///< delays from arrival to join, of the visits that started
  LatencyHistogram batch_wait;      ///< waits from join to start, of the visits that started
  RequestCounts requests;           ///< requests that enter the pipeline here: 0 if a module precedes it
  GapTotals gaps;
  BatchEnds ends;

  /// Calls `each(of_row, of_other)` for each sum that the queues of the module count: of several ranks they
  /// are added up.
  static void sums_of_queues(auto& row, auto& other, auto&& each) {
    each(row.arrived, other.arrived);
    each(row.batches, other.batches);
    each(row.queueing_ns, other.queueing_ns);
    each(row.wait_ns, other.wait_ns);
  }
  /// Calls it for each sum over the run; what a warm-up counted is subtracted from them.
  static void sums(auto& row, auto& other, auto&& each) {
    sums_of_queues(row, other, each);
    each(row.done, other.done);
    each(row.cancelled, other.cancelled);
    each(row.unfinished, other.unfinished);
    each(row.preempted, other.preempted);
    for (std::size_t i = 0; i < row.dropped.size(); ++i) each(row.dropped[i], other.dropped[i]);
    each(row.exec_ns, other.exec_ns);
    each(row.requests.sent, other.requests.sent);
    each(row.requests.in_time, other.requests.in_time);
    each(row.requests.late, other.requests.late);
    each(row.requests.dropped, other.requests.dropped);
    each(row.gaps.count, other.gaps.count);
    each(row.gaps.sum_ns, other.gaps.sum_ns);
    each(row.gaps.squares_ns2, other.gaps.squares_ns2);
    each(row.ends.count, other.ends.count);
    each(row.ends.pairs, other.ends.pairs);
  }

  /// Subtracts the counts and sums of a part of the run; the fields that describe the module stay.
  ModuleTotals& operator-=(const ModuleTotals& part);

  /// Lists all columns; the histograms are not among them.
  static void list(auto& row, auto&& column) {
    column("depth", row.depth);
    column("last", row.last);
    column("visit_ratio", row.visit_ratio);
    column("accuracy", row.accuracy);
    column("arrived", row.arrived);
    column("done", row.done);
    column("cancelled", row.cancelled);
    column("unfinished", row.unfinished);
    for (std::size_t i = 0; i < row.dropped.size(); ++i)
      column(std::string("dropped_") + name_of(static_cast<DropReason>(i)), row.dropped[i]);
    column("batches", row.batches);
    column("preempted", row.preempted);
    column("queueing_ns", row.queueing_ns);
    column("wait_ns", row.wait_ns);
    column("exec_ns", row.exec_ns);
    column("requests_sent", row.requests.sent);
    column("requests_in_time", row.requests.in_time);
    column("requests_late", row.requests.late);
    column("requests_dropped", row.requests.dropped);
    column("gaps", row.gaps.count);
    column("gap_ns", row.gaps.sum_ns);
    column("gap_squares_ns2", row.gaps.squares_ns2);
    column("ends", row.ends.count);
    column("end_pairs", row.ends.pairs);
    column("last_end_slot", row.ends.last_slot);
  }
};

}  // namespace harness
