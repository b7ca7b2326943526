// Admission control of `reserve`: which requests enter and, where each worker has a queue of its own, which
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

/// What the queue of a module says when it launches a batch.
struct QueueReport {
  TimeNs at_ns = 0;
  TimeNs start_ns = 0;  ///< when one more visit that came then would start
  double lost = 0;      ///< visits dropped there, or ended late there at a last module, since the last report
  double served = 0;    ///< visits in the batch
};

/// Which of several queues, each of one worker, gets the visits of a module: batch after batch, the queue
/// that can start next.
class QueueTurns {
 public:
  /// Forgets the queues that are not there any more.
  void keep(std::span<const QueueView> queues);
  /// Returns an index into `queues`. `latency_ns`: what a batch of a given size takes.
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
  /// The queue says when one more visit would start; one that is not there any more counts for nothing.
  /// `all_have_come`: it knows of all visits that it was chosen for.
  void on_report(QueueId queue, TimeNs start_ns, bool all_have_come);
  /// When the next batch of any queue can start, from `now` on.
  TimeNs next_ns(TimeNs now) const;

 private:
  std::uint32_t open(TimeNs now, std::span<const QueueView> queues, const BatchShape& shape);
  TimeNs& next(QueueId queue);

  std::vector<TimeNs> next_ns_;  ///< by queue; kNever: none of these
  std::size_t known_ = 0;        ///< how many queues there are
  QueueId last_ = 0;             ///< the last of them
  QueueId current_ = 0;
  TimeNs start_ns_ = 0;  ///< of the batch that fills now
  int joined_ = 0;       ///< visits in it
};

/// One for a pipeline, shared by the routers and controllers of its modules, which run in one thread.
class Admission {
 public:
  Admission(const ServingContext& context, const ReserveParams& params);

  void on_plan(const Plan& plan);
  /// Whether a request that comes now is to enter.
  bool admit(TimeNs now, TimeNs deadline_ns);
  /// The queues of a module as they are now.
  void on_queues(ModuleId module, std::span<const QueueView> queues);
  /// Where a visit of the module goes: an index into `queues`.
  std::uint32_t route(TimeNs now, ModuleId module, std::span<const QueueView> queues);
  void on_report(ModuleId module, QueueId queue, const QueueReport& report);
  /// How the module's queues form batches now.
  const BatchShape& shape(ModuleId module) const { return timetable_->lane(module).shape(); }
  TimeNs after_ns(ModuleId module) const { return timetable_->after_ns(module); }
  const ServingContext* context() const { return &context_; }

 private:
  void set_margin(double margin);
  void set_plan();
  void correct(ModuleId module, QueueId queue, const QueueReport& report);

  const ServingContext& context_;
  const ReserveParams& params_;
  Plan plan_;                           ///< with the workers that serve now
  std::optional<Timetable> timetable_;  ///< none before the first plan
  std::vector<QueueTurns> turns_;       ///< by module
  double margin_;                       ///< in gaps (Timetable::gaps_ns); grows with what is lost
  TimeNs margin_ns_ = 0;
};

}  // namespace harness
