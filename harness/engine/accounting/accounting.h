// The accounting of a run: every count, the GPU time, the rows and the fingerprint, kept by the host and
// never by a system.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/engine/accounting/fingerprint.h"
#include "harness/engine/accounting/request_record.h"
#include "harness/engine/accounting/slot_table.h"
#include "harness/engine/accounting/visit_record.h"
#include "harness/engine/run_spec.h"
#include "harness/record/run/gap_totals.h"
#include "harness/record/run/module_totals.h"
#include "harness/record/run/module_window.h"
#include "harness/record/run/path_counts.h"
#include "harness/record/run/plan_row.h"
#include "harness/record/run/request_counts.h"
#include "harness/record/run/request_row.h"
#include "harness/record/run/row_sink.h"
#include "harness/record/run/run_record.h"
#include "harness/record/run/visit_row.h"
#include "harness/record/run/window_counts.h"
#include "harness/record/run/worker_totals.h"
#include "harness/serving/plan.h"

namespace harness {

/// Fills a RunRecord while the run goes on. Hot functions are inline; there is one call per batch or per
/// visit.
///
/// With RunSpec::measured_from_ns the requests sent before it are a warm-up: `record_` counts them like all
/// others, since systems are told of all, and a second record holds them alone; closing subtracts it.
/// Requests and visits count by the time of sending; batches, messages and the time of workers count by the
/// time at which they happen.
class Accounting {
 public:
  /// `visits` are the live ones; `rows` may be null.
  Accounting(const RunSpec& spec, const SlotTable<VisitRecord>& visits, RowSink* rows);

  /// Counts a request that leaves; `entry` is the first module on its way.
  void on_sent(TimeNs now, ModuleId entry) {
    ++window_of(now).sent;
    count(now, [entry](RunRecord& record) {
      ++record.sent;
      ++record.modules[entry].requests.sent;
    });
  }

  /// True if GapTotals are counted, which costs 2 % of the simulator's speed. They are counted if rows are
  /// recorded, or if the system is told of them.
  bool counts_gaps() const { return counts_gaps_; }
  void count_gaps() { counts_gaps_ = true; }
  /// Counts visits, at least one, that the dispatcher sends to queues of the module for the first time there.
  /// In live runs it hears of ends a little out of their order: an earlier time counts as the latest so far.
  void on_sent_to_queues(TimeNs now, ModuleId module, std::size_t visits) {
    advance(now);
    GapTotals& gaps = record_.modules[module].gaps;
    TimeNs& last_ns = last_sent_ns_[module];
    gaps.count += visits;
    if (last_ns != kNever) [[likely]] {
      const TimeNs gap_ns = now > last_ns ? now - last_ns : 0;
      const auto gap = static_cast<double>(gap_ns);
      gaps.sum_ns += gap_ns;
      gaps.squares_ns2 += gap * gap;
      last_ns += gap_ns;
    } else {
      last_ns = now;
      --gaps.count;
    }
  }

  void on_arrived(TimeNs now, const Visit& visit) {
    advance(now);
    count(visit.sent_ns, [this, module = visit.module](RunRecord& record) {
      ++record.modules[module].arrived;
      ++module_window_of(record, module).arrived;
    });
  }

  /// Counts a visit that had arrived and is sent on to another variant of the task, where it will end.
  void on_moved(const Visit& from, ModuleId to) {
    count(from.sent_ns, [&from, to](RunRecord& record) {
      --record.modules[from.module].arrived;
      ++record.modules[to].arrived;
    });
  }

  /// Counts a batch that starts: its visits' queueing delay and batch wait become known.
  void on_batch_started(TimeNs now, WorkerId worker, ModuleId module, std::span<const BatchVisit> visits) {
    advance(now);
    ++record_.modules[module].batches;
    ++module_window_of(record_, module).batches;
    started_visits_ += static_cast<std::int64_t>(visits.size());
    count_started(record_, now, module, visits);
    if (measures_a_part()) [[unlikely]]
      count_started(warm_up_, now, module, warm_up_of(visits));
    stamp(now, (std::uint64_t{worker} << 20) ^ visits.size());
  }

  /// Counts a visit that has reached its queue, but only the first time at this module.
  void on_reached(TimeNs now, VisitRecord& record) {
    if (record.counted) return;
    record.counted = true;
    record.visit.arrived_ns = now;
    on_arrived(now, record.visit);
  }

  /// Counts a batch that ended at `ended_ns` and took exec_ns, and gpu_ns of GPU time. The two are the same
  /// for a batch on one GPU, and differ for several GPUs and for shared and delay services.
  void on_batch_done(TimeNs ended_ns, ModuleId module, std::span<const BatchVisit> visits, TimeNs exec_ns,
                     TimeNs gpu_ns) {
    advance(ended_ns);
    record_.modules[module].ends.add(ended_ns);
    record_.gpu_ns += gpu_ns;
    count_done(record_, module, visits.size(), exec_ns);
    if (measures_a_part()) [[unlikely]]
      count_done(warm_up_, module, warm_up_of(visits).size(), exec_ns);
  }

  /// Counts the GPU time of a batch that came to nothing; its visits run no more.
  void on_batch_failed(TimeNs now, TimeNs gpu_ns, std::size_t visits) {
    advance(now);
    record_.gpu_ns += gpu_ns;
    started_visits_ -= static_cast<std::int64_t>(visits);
  }

  /// Notes that a scheduler asks a batch to stop.
  void on_preempt(TimeNs now, WorkerId worker) { stamp(now, ~std::uint64_t{worker}); }

  /// Counts a batch that has stopped: its GPU time is invalid whatever becomes of its visits, which wait
  /// again.
  void on_batch_preempted(TimeNs now, ModuleId module, TimeNs gpu_ns) {
    advance(now);
    ++record_.modules[module].preempted;
    record_.gpu_ns += gpu_ns;
    record_.gpu_invalid_ns += gpu_ns;
    preempted_gpu_ns_ += gpu_ns;
  }
  /// Notes that the visits of a batch that has stopped are queued again.
  void on_visits_queued_again(TimeNs now, std::size_t visits) {
    advance(now);
    started_visits_ -= static_cast<std::int64_t>(visits);
  }

  /// Sets the fingerprint after several decisions in a row: the caller has gone on with a copy of the
  /// record's fingerprint, and nothing else has been mixed in meanwhile.
  void set_fingerprint(Fingerprint fingerprint) { record_.fingerprint = fingerprint.value(); }

  void on_visit_dropped(TimeNs now, const Visit& visit, DropReason reason) {
    advance(now);
    count(visit.sent_ns, [this, module = visit.module, reason](RunRecord& record) {
      ++record.modules[module].dropped[static_cast<std::size_t>(reason)];
      ++module_window_of(record, module).dropped;
    });
    stamp(now, ~visit.request ^ (static_cast<std::uint64_t>(reason) << 56));
  }

  /// Counts values on their way to that many receivers: a report or a published state.
  void on_exchanged(TimeNs now, std::size_t values, std::size_t receivers) {
    advance(now);
    record_.exchanged_bytes += sizeof(double) * values * receivers;
  }

  /// Names the values with which published states begin. If `record` is true, the record keeps these values.
  void name_states(std::span<const char* const> names, bool record);
  /// Counts the state that a module's controller publishes to that many receivers.
  void on_published(TimeNs now, ModuleId module, std::span<const double> state, std::size_t receivers);

  void on_visit_cancelled(TimeNs now, const Visit& visit) {
    advance(now);
    count(visit.sent_ns, [&visit](RunRecord& record) { ++record.modules[visit.module].cancelled; });
  }
  void on_visit_unfinished(const Visit& visit) {
    count(visit.sent_ns, [&visit](RunRecord& record) { ++record.modules[visit.module].unfinished; });
  }
  void on_request_unfinished(TimeNs sent_ns) {
    count(sent_ns, [](RunRecord& record) { ++record.unfinished; });
  }

  /// For task trees: adds to the number of paths that have begun. A request that is sent adds 1; a visit adds
  /// one less than the visits that it causes.
  void on_paths_begun(std::int64_t paths) { paths_begun_ += paths; }
  /// Counts a path of a request sent at `sent_ns` that is served, with its accuracy.
  void on_path_served(TimeNs sent_ns, bool in_time, double accuracy) {
    PathCounts& paths = record_.windows[window_index(sent_ns)].paths;
    ++(in_time ? paths.in_time : paths.late);
    paths.accuracy_sum += accuracy;
  }
  void on_paths_lost(TimeNs sent_ns, std::uint32_t paths) {
    record_.windows[window_index(sent_ns)].paths.lost += paths;
  }

  /// Counts the request's outcome, which is final. on_request_gone settles its GPU time.
  void on_request_outcome(ModuleId entry, TimeNs sent_ns, Outcome outcome, TimeNs latency_ns) {
    WindowCounts& window = record_.windows[window_index(sent_ns)];
    ++(outcome == Outcome::kDropped  ? window.dropped
       : outcome == Outcome::kInTime ? window.in_time
                                     : window.late);
    count(sent_ns, [entry, outcome, latency_ns](RunRecord& record) {
      RequestCounts& entered = record.modules[entry].requests;
      if (outcome == Outcome::kDropped) {
        ++record.dropped;
        ++entered.dropped;
        return;
      }
      record.latency.add(latency_ns);
      record.latency_sum_ns += latency_ns;
      ++(outcome == Outcome::kInTime ? record.in_time : record.late);
      ++(outcome == Outcome::kInTime ? entered.in_time : entered.late);
    });
  }

  /// Counts a request whose last visit is gone. `accuracy` is the accuracy of its answer; NaN if models have
  /// no accuracy.
  void on_request_gone(const RequestRecord& request, Outcome outcome, double accuracy = NAN) {
    (outcome == Outcome::kInTime ? gpu_valid_ns_ : record_.gpu_invalid_ns) += request.gpu_ns;
    if (request.sent_ns < measured_from_ns_) [[unlikely]] {
      warm_up_.gpu_ns += request.gpu_ns;
      if (outcome != Outcome::kInTime) warm_up_.gpu_invalid_ns += request.gpu_ns;
    }
    if (rows_ != nullptr) write_request(request, outcome, accuracy);
    const bool is_complete = outcome == Outcome::kInTime || outcome == Outcome::kLate;
    if (!is_complete || std::isnan(accuracy)) return;
    record_.windows[window_index(request.sent_ns)].accuracy_sum += accuracy;
    count(request.sent_ns, [accuracy](RunRecord& record) {
      record.accuracy_sum += accuracy;
      ++record.accuracy_requests;
    });
  }

  bool wants_rows() const { return rows_ != nullptr; }
  void on_visit_row(const VisitRow& row);

  /// Notes a plan that takes effect.
  void on_plan(const Plan& plan) { record_.shares_workers |= plan.shares_workers(); }
  /// Adds the row of a plan, or of a change of the number of workers that can serve, that takes effect.
  void on_plan_row(const PlanRow& row) { record_.plans.push_back(row); }
  /// Adds a row when a plan with groups takes effect, one for each module of each group.
  void on_group_row(const GroupRow& row) { record_.groups.push_back(row); }

  /// Adds what the accounting of another rank's queues holds: arrivals, starts of batches, decisions.
  void absorb(const RunRecord& other);
  /// Called after all ranks' records are absorbed. Returns the number of visits whose arrival and end are not
  /// both counted here, because messages were lost or repeated, and sets the arrivals to what has ended.
  std::uint64_t settle_arrivals();
  /// Returns what has been counted, for a rank that keeps only a part and whose run has ended.
  const RunRecord& rank_record();

  /// Closes the accounting: checks that requests and visits add up (a bug otherwise) and hands over the
  /// record.
  RunRecord close(TimeNs end_ns, std::uint64_t events, std::vector<WorkerTotals> workers);

  const RunRecord& record() const { return record_; }

 private:
  static constexpr std::size_t kRowChunk = 8192;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  /// Mixes one decision into the fingerprint.
  void stamp(TimeNs now, std::uint64_t what) {
    Fingerprint fingerprint(record_.fingerprint);
    fingerprint.add(now, what);
    record_.fingerprint = fingerprint.value();
  }

  std::size_t window_index(TimeNs at) const { return static_cast<std::size_t>(at / record_.window_ns); }

  WindowCounts& window_of(TimeNs now) {
    advance(now);
    return record_.windows[current_window_];
  }
  /// Returns the window of `record_` or `warm_up_` to which the accounting has advanced.
  ModuleWindow& module_window_of(RunRecord& record, ModuleId module) {
    return record.module_windows[current_window_ * modules_ + module];
  }
  void advance(TimeNs now) {
    // With several ranks an earlier event may be reported later.
    if (now >= stop_ns_ || now < window_begin_ns_) [[unlikely]]
      pass(now);
  }
  /// Opens the window of `now` and does what is due at or before `now`.
  void pass(TimeNs now);
  /// Takes the samples of the queue that are due at or before `until`.
  void sample_queue(TimeNs until);
  TimeNs next_sample_ns() const;
  /// Returns the number of visits that wait for a batch, among the visits that this accounting has seen
  /// arrive.
  std::int64_t waiting() const;

  bool measures_a_part() const { return measured_from_ns_ > 0; }
  /// Counts what happened to a request sent at `sent_ns`, or to a visit of it.
  template <class Count>
  void count(TimeNs sent_ns, Count&& in) {
    in(record_);
    if (sent_ns < measured_from_ns_) [[unlikely]]
      in(warm_up_);
  }
  /// Returns the visits that belong to the warm-up; valid until the next call.
  std::span<const BatchVisit> warm_up_of(std::span<const BatchVisit> visits);
  void count_started(RunRecord& record, TimeNs now, ModuleId module, std::span<const BatchVisit> visits) {
    ModuleTotals& totals = record.modules[module];
    TimeNs queueing_ns = 0;
    TimeNs wait_ns = 0;
    for (std::size_t first = 0, end = 0; first < visits.size(); first = end) {
      const TimeNs joined_ns = visits[first].joined_ns;  // most of a batch joins at once
      for (; end < visits.size() && visits[end].joined_ns == joined_ns; ++end) {
        const TimeNs queueing = joined_ns - visits[end].arrived_ns;
        queueing_ns += queueing;
        totals.queueing_delay.add(queueing);
      }
      const std::size_t count = end - first;
      wait_ns += (now - joined_ns) * static_cast<TimeNs>(count);
      totals.batch_wait.add(now - joined_ns, count);
    }
    totals.queueing_ns += queueing_ns;
    totals.wait_ns += wait_ns;
    ModuleWindow& window = module_window_of(record, module);
    window.started += static_cast<std::uint32_t>(visits.size());
    window.queueing_ns += queueing_ns;
    window.wait_ns += wait_ns;
  }
  static void count_done(RunRecord& record, ModuleId module, std::size_t visits, TimeNs exec_ns) {
    record.modules[module].done += visits;
    record.modules[module].exec_ns += exec_ns * static_cast<TimeNs>(visits);
  }
  /// Notes what has happened before the measured part, for everything that counts by its own time.
  void begin_measuring();
  /// Ends the counting of a run that has ended: leaves the measured part in `record_`. A second call does
  /// nothing.
  void finish_counting();

  void write_request(const RequestRecord& request, Outcome outcome, double accuracy);
  void flush_rows();

  void check_sums() const;
  void check_requests() const;
  void check_visits() const;
  void check_paths() const;

  const SlotTable<VisitRecord>& visits_;
  std::size_t modules_;
  Answers answers_;
  bool has_tasks_;
  std::int64_t paths_begun_ = 0;
  TimeNs gpu_valid_ns_ = 0;
  TimeNs preempted_gpu_ns_ = 0;
  std::size_t current_window_ = 0;
  TimeNs window_begin_ns_ = 0;
  TimeNs stop_ns_ = 0;  ///< next time at which something is due: a window, a sample of the queue
  TimeNs measured_from_ns_ = 0;
  std::int64_t started_visits_ = 0;  ///< number of visits of batches that have started and were not stopped
  bool measuring_ = false;
  RunRecord record_;  ///< counts of all requests, until the accounting is closed
  /// Counts of the requests sent before the measured part, and of what happened before it.
  RunRecord warm_up_;
  std::vector<BatchVisit> warm_up_visits_;  ///< scratch
  RowSink* rows_;
  bool counts_gaps_;
  /// Time at which a visit was last sent to each module's queues; kNever: no visit was.
  std::vector<TimeNs> last_sent_ns_;
  std::size_t state_names_ = 0;
  std::size_t order_place_ = kNowhere;        ///< index of the value named "order" in a state
  std::vector<std::optional<double>> order_;  ///< order of each module, as last published
  std::vector<RequestRow> request_rows_;
  std::vector<VisitRow> visit_rows_;
};

}  // namespace harness
