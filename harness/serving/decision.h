// The decisions of schedulers, and the write-only list into which a scheduler puts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"

namespace harness {

/// One decision of a scheduler. The fields that count depend on `kind`.
struct Decision {
  enum class Kind : std::uint8_t { kDrop, kJoin, kLaunch, kWakeAt, kReport, kPreempt };
  Kind kind = Kind::kDrop;
  DropReason reason = DropReason::kExpired;
  std::uint32_t visit_or_first = 0;   ///< kDrop, kJoin: the visit; kReport: index of the first value
  std::uint32_t worker_or_count = 0;  ///< kJoin, kLaunch, kPreempt: the worker; kReport: number of values
  TimeNs at_ns = 0;                   ///< kWakeAt: the time asked for

  bool operator==(const Decision&) const = default;
};

/// The decisions of one callback. The host carries them out in the order given, after the callback returns.
/// It checks each one: an illegal decision is a bug of the system and stops the run.
class Decisions {
 public:
  /// Ends the visit, which is queued here, and with it its request (with answers = partial its branch alone).
  void drop(VisitId visit, DropReason reason) { add({Decision::Kind::kDrop, reason, visit, 0, 0}); }
  /// Joins the queued visit to the worker's forming batch, which it opens if need be; the host stamps t_b.
  /// All visits of a batch are at the same module, and there are at most as many as the planned maximum batch
  /// size. A batch that is full while another runs is closed, whatever a later plan allows, because a GPU has
  /// it by then. It starts when the running batch ends: on_worker_free() must launch it.
  void join(WorkerId worker, VisitId visit) { add({Decision::Kind::kJoin, {}, visit, worker, 0}); }
  /// Closes the worker's forming batch, which must not be empty. The batch starts at once, or when the
  /// running batch ends.
  void launch(WorkerId worker) { add({Decision::Kind::kLaunch, {}, 0, worker, 0}); }
  /// Asks the worker's running batch to stop at its next exit point (SHEPHERD, section 6). The batch may end
  /// before that: exactly one of on_batch_preempted and on_batch_done follows. Allowed once for each batch.
  void preempt(WorkerId worker) { add({Decision::Kind::kPreempt, {}, 0, worker, 0}); }
  /// Asks for on_timer at `at_ns` or, if that is past, at once. A queue has one timer, which keeps the
  /// earliest time asked for.
  void wake_at(TimeNs at_ns) { add({Decision::Kind::kWakeAt, {}, 0, 0, at_ns}); }
  /// Sends values to the module's controller; the system alone knows their meaning. Copies `values`.
  void report(std::span<const double> values) {
    add({Decision::Kind::kReport,
         {},
         static_cast<std::uint32_t>(values_.size()),
         static_cast<std::uint32_t>(values.size()),
         0});
    values_.insert(values_.end(), values.begin(), values.end());
  }

  // For the host.
  bool empty() const { return count_ == 0; }
  std::span<const Decision> list() const { return std::span(list_).first(count_); }
  std::span<const double> values(const Decision& report) const {
    return std::span(values_).subspan(report.visit_or_first, report.worker_or_count);
  }
  void clear() {
    count_ = 0;
    values_.clear();
  }

 private:
  /// Appends a decision. It is called for every visit; if it used push_back(), that would become a call of
  /// its own, which costs 3 % of a simulation's instructions.
  [[gnu::always_inline]] void add(const Decision& decision) {
    if (count_ == list_.size()) list_.resize(2 * count_ + 8);
    list_[count_++] = decision;
  }

  std::vector<Decision> list_;  ///< storage, of which the first `count_` are decisions
  std::size_t count_ = 0;
  std::vector<double> values_;
};

}  // namespace harness
