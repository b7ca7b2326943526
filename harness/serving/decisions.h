// The write-only list into which a scheduler puts its decisions (design, section 5).
#pragma once

#include <span>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// One decision of a scheduler. Which fields count depends on `kind`.
struct Decision {
  enum class Kind : std::uint8_t { kDrop, kJoin, kLaunch, kWakeAt, kReport, kPreempt };
  Kind kind = Kind::kDrop;
  DropReason reason = DropReason::kExpired;
  std::uint32_t visit_or_first = 0;   ///< kDrop, kJoin: the visit; kReport: index of the first value
  std::uint32_t worker_or_count = 0;  ///< kJoin, kLaunch, kPreempt: the worker; kReport: number of values
  TimeNs at_ns = 0;                   ///< kWakeAt

  bool operator==(const Decision&) const = default;
};

/// Decisions are carried out by the host in the order given, after the callback returns. The host checks each
/// one: an illegal decision is a bug of the system and stops the run.
class Decisions {
 public:
  /// The visit, queued at this domain, ends here and with it its request.
  void drop(VisitId visit, DropReason reason) {
    list_.push_back({Decision::Kind::kDrop, reason, visit, 0, 0});
  }
  /// The queued visit joins the worker's forming batch (which it opens if need be); the host stamps t_b. All
  /// visits of a batch are at the same module, at most the planned batch cap of them.
  void join(WorkerId worker, VisitId visit) {
    list_.push_back({Decision::Kind::kJoin, {}, visit, worker, 0});
  }
  /// Closes the worker's forming batch, which must not be empty. It starts at once, or when the running batch
  /// ends.
  void launch(WorkerId worker) { list_.push_back({Decision::Kind::kLaunch, {}, 0, worker, 0}); }
  /// Asks the worker's running batch to stop at its next exit point (SHEPHERD, section 6). It may end before
  /// that: of on_batch_preempted and on_batch_done exactly one follows. Once for each batch.
  void preempt(WorkerId worker) { list_.push_back({Decision::Kind::kPreempt, {}, 0, worker, 0}); }
  /// Asks for on_timer at `at_ns` or, if that is past, at once. A domain has one timer: the earliest request
  /// stands.
  void wake_at(TimeNs at_ns) { list_.push_back({Decision::Kind::kWakeAt, {}, 0, 0, at_ns}); }
  /// Sends values to the module's controller; their meaning is the system's. Copies `values`.
  void report(std::span<const double> values) {
    list_.push_back({Decision::Kind::kReport,
                     {},
                     static_cast<std::uint32_t>(values_.size()),
                     static_cast<std::uint32_t>(values.size()),
                     0});
    values_.insert(values_.end(), values.begin(), values.end());
  }

  // For the host.
  std::span<const Decision> list() const { return list_; }
  std::span<const double> values(const Decision& report) const {
    return std::span(values_).subspan(report.visit_or_first, report.worker_or_count);
  }
  void clear() {
    list_.clear();
    values_.clear();
  }

 private:
  std::vector<Decision> list_;
  std::vector<double> values_;
};

}  // namespace harness
