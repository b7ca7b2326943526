// Admission control of `reserve`: decides which requests enter and, if each worker has its own queue, which
// worker a visit goes to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/params.h"
#include "harness/serving/router.h"
#include "systems/reserve/timetable.h"

namespace harness {

struct ReserveParams {
  bool admission = true;
  bool feedback = true;
  bool hold = true;
  double margin = 1;
  double lost_target = 0.001;

  void list(ParamList& params);
};

/// A report of a module's queue, at the launch of a batch.
struct QueueReport {
  TimeNs at_ns = 0;
  TimeNs start_ns = 0;  ///< time at which one more visit that came then would start
  /// Number of visits dropped there, or ended late there at a last module, since the last report.
  double lost = 0;
  double served = 0;  ///< number of visits in the batch
};

/// Chooses among several queues, each of one worker, for the visits of a module: batch after batch, the queue
/// that can start next.
class QueueTurns {
 public:
  /// Forgets the queues that are gone.
  void keep(std::span<const QueueView> queues);
  /// Returns an index into `queues`. `latency_ns` gives the time that a batch of a given size takes.
  template <class Latency>
  std::uint32_t choose(TimeNs now, std::span<const QueueView> queues, const BatchShape& shape,
                       Latency latency_ns) {
    // A batch with room is held until its last moment (slot_policy.h), so more may join it.
    if (joined_ > 0 && joined_ < shape.size && now + latency_ns(joined_ + 1) <= start_ns_ + shape.exec_ns) {
      for (std::uint32_t i = 0; i < queues.size(); ++i) {
        if (queues[i].id != current_) continue;
        ++joined_;
        return i;
      }
    }
    return open(now, queues, shape);
  }
  /// Takes a queue's report of the time at which one more visit would start. Ignores queues that are gone.
  /// `all_have_come` says that the queue knows of all visits for which it was chosen.
  void on_report(QueueId queue, TimeNs start_ns, bool all_have_come);
  /// Returns the time, from `now` on, at which the next batch of any queue can start.
  TimeNs next_ns(TimeNs now) const;

 private:
  std::uint32_t open(TimeNs now, std::span<const QueueView> queues, const BatchShape& shape);
  TimeNs& next(QueueId queue);

  std::vector<TimeNs> next_ns_;  ///< time at which each queue can start its next batch; kNever: no such queue
  std::size_t known_ = 0;        ///< number of queues
  QueueId last_ = 0;             ///< id of the last queue
  QueueId current_ = 0;
  TimeNs start_ns_ = 0;  ///< start of the batch that fills now
  int joined_ = 0;       ///< number of visits in it
};

/// The admission of a pipeline, shared by the routers and controllers of its modules, which run in one
/// thread.
class Admission {
 public:
  Admission(const ServingContext& context, const ReserveParams& params);

  void on_plan(const Plan& plan);
  /// True if a request that comes now is to enter. Its places are then reserved, unless admission is off.
  bool admit(TimeNs now, TimeNs deadline_ns);
  /// Takes the queues of a module as they are now.
  void on_queues(ModuleId module, std::span<const QueueView> queues);
  /// Returns the queue for a visit of the module, as an index into `queues`.
  std::uint32_t route(TimeNs now, ModuleId module, std::span<const QueueView> queues);
  void on_report(ModuleId module, QueueId queue, const QueueReport& report);
  /// Returns the batches that the module's queues are to form now.
  const BatchShape& shape(ModuleId module) const { return timetable_->lane(module).shape(); }
  TimeNs after_ns(ModuleId module) const { return timetable_->after_ns(module); }
  const ServingContext* context() const { return &context_; }

 private:
  void set_margin(double margin);
  void set_plan();
  void correct(ModuleId module, QueueId queue, const QueueReport& report);

  const ServingContext& context_;
  const ReserveParams& params_;
  Plan plan_;                           ///< plan with the workers that serve now
  std::optional<Timetable> timetable_;  ///< empty before the first plan
  std::vector<QueueTurns> turns_;       ///< one for each module
  double margin_;                       ///< margin in gaps (Timetable::gaps_ns); grows with lost visits
  TimeNs margin_ns_ = 0;
};

}  // namespace harness
