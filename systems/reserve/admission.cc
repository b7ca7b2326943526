#include "systems/reserve/admission.h"

#include <algorithm>
#include <utility>

namespace harness {
namespace {

constexpr double kMarginPerLost = 0.01;   ///< spacings that a lost visit adds to the margin
constexpr double kLargestSpacings = 0.1;  ///< share of the spare time as which spacings count at most
constexpr double kLargestMargin = 0.7;    ///< share of the spare time that the margin takes at most

}  // namespace

Admission::Admission(const ServingContext& context, const ReserveParams& params)
    : context_(context), params_(params), turns_(context.pipeline->modules.size()), margin_(params.margin) {}

void Admission::on_plan(const Plan& plan) {
  const Plan before = std::exchange(plan_, plan);
  if (!timetable_) {
    timetable_.emplace(context_, plan);
    set_margin(margin_);
    return;
  }
  for (std::size_t m = 0; m < plan_.modules.size(); ++m) plan_.modules[m].workers = before.modules[m].workers;
  set_plan();
}

void Admission::set_plan() {
  timetable_->set_plan(plan_);
  set_margin(margin_);
}

void Admission::set_margin(double margin) {
  const auto spare_ns = static_cast<double>(std::max(TimeNs{0}, context_.slo_ns - timetable_->longest_ns()));
  const double spacings_ns =
      std::min(static_cast<double>(timetable_->spacings_ns()), kLargestSpacings * spare_ns);
  margin_ =
      std::max(params_.margin, std::min(margin, kLargestMargin * spare_ns / std::max(1.0, spacings_ns)));
  margin_ns_ = static_cast<TimeNs>(std::min(margin_ * spacings_ns, kLargestMargin * spare_ns));
}

bool Admission::admit(TimeNs now, TimeNs deadline_ns) {
  return !params_.admission || timetable_->reserve(now, deadline_ns, margin_ns_);
}

void Admission::on_queues(ModuleId module, std::span<const QueueView> queues) {
  turns_[module].keep(queues);
  int workers = 0;
  for (const QueueView& queue : queues) workers += queue.workers;
  if (workers == 0 || workers == plan_.modules[module].workers) return;
  plan_.modules[module].workers = workers;
  set_plan();
}

std::uint32_t Admission::route(TimeNs now, ModuleId module, std::span<const QueueView> queues) {
  if (queues.size() == 1) return 0;
  return turns_[module].choose(now, queues, shape(module),
                               [&](int size) { return batch_ns(context_, plan_, module, size); });
}

void Admission::on_report(ModuleId module, QueueId queue, const QueueReport& report) {
  if (params_.feedback) correct(module, queue, report);
  set_margin(margin_ + kMarginPerLost * (report.lost - params_.lost_target * report.served));
}

void Admission::correct(ModuleId module, QueueId queue, const QueueReport& report) {
  TimeNs start_ns = report.start_ns;
  if (context_.serving.queue == QueueScope::kWorker) {
    // At a merge visits have a queue before their last branch has ended.
    const bool is_merge = context_.pipeline->modules[module].pres.size() > 1;
    turns_[module].on_report(queue, start_ns, !is_merge);
    start_ns = turns_[module].next_ns(report.at_ns);
  }
  const Lane& lane = timetable_->lane(module);
  const TimeNs expected_ns = lane.start_at(report.at_ns);
  if (expected_ns == kNever) return;
  // A batch more or less in the queue than in the lane is no delay.
  timetable_->set_delay(module, report.at_ns,
                        std::max(TimeNs{0}, start_ns - expected_ns - lane.spacing_ns()));
}

}  // namespace harness
