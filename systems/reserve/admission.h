// Admission control of `reserve`: decides which requests enter and, if each worker has its own queue, which
// worker a visit goes to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "harness/serving/serving_context.h"
#include "systems/reserve/batch_shape.h"
#include "systems/reserve/queue_turns.h"
#include "systems/reserve/reserve_params.h"
#include "systems/reserve/timetable.h"

namespace harness {

struct QueueReport;

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
  double margin_;  ///< margin in spacings (Timetable::spacings_ns); grows with lost visits
  TimeNs margin_ns_ = 0;
};

/// A report of a module's queue, at the launch of a batch.
struct QueueReport {
  TimeNs at_ns = 0;
  TimeNs start_ns = 0;  ///< time at which one more visit that came then would start
  /// Number of visits dropped there, or ended late there at a last module, since the last report.
  double lost = 0;
  double served = 0;  ///< number of visits in the batch
};

}  // namespace harness
