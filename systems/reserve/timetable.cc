#include "systems/reserve/timetable.h"

#include <algorithm>

#include "harness/core/routes.h"
#include "systems/reserve/batch_shape.h"

namespace harness {

Timetable::Timetable(const ServingContext& context, const Plan& plan)
    : context_(&context),
      visits_per_request_(visit_probabilities(*context.pipeline)),
      lanes_(plan.modules.size()),
      delays_(plan.modules.size()),
      places_(plan.modules.size()),
      ends_ns_(plan.modules.size(), 0) {
  set_plan(plan);
}

void Timetable::set_plan(const Plan& plan) {
  const std::vector<BatchShape> shapes = batch_shapes(*context_, plan);
  for (std::size_t m = 0; m < lanes_.size(); ++m) lanes_[m].set(shapes[m], plan.modules[m].workers);
  update_lengths();
}

void Timetable::update_lengths() {
  std::vector<double> exec_ns;
  std::vector<double> spacing_ns;
  for (const Lane& lane : lanes_) {
    exec_ns.push_back(static_cast<double>(lane.shape().exec_ns));
    spacing_ns.push_back(static_cast<double>(lane.spacing_ns()));
  }
  const std::vector<double> after_ns = longest_after(*context_->pipeline, exec_ns);
  after_ns_.assign(after_ns.begin(), after_ns.end());
  longest_ns_ = after_ns_.front() + lanes_.front().shape().exec_ns;
  spacings_ns_ =
      static_cast<TimeNs>(longest_after(*context_->pipeline, spacing_ns).front() + spacing_ns.front());
}

bool Timetable::reserve(TimeNs now, TimeNs deadline_ns, TimeNs margin_ns) {
  const std::vector<Module>& modules = context_->pipeline->modules;
  for (std::size_t m = 0; m < lanes_.size(); ++m) {
    TimeNs ready_ns = now;
    for (const ModuleId pre : modules[m].pres) ready_ns = std::max(ready_ns, ends_ns_[pre]);
    places_[m] = lanes_[m].find(ready_ns);
    const TimeNs delay_ns = now < delays_[m].until_ns ? delays_[m].delay_ns : 0;
    ends_ns_[m] = places_[m].start_ns + delay_ns + lanes_[m].shape().exec_ns;
    if (ends_ns_[m] + after_ns_[m] + margin_ns > deadline_ns) return false;
  }
  for (std::size_t m = 0; m < lanes_.size(); ++m) lanes_[m].reserve(places_[m], visits_per_request_[m]);
  return true;
}

}  // namespace harness
