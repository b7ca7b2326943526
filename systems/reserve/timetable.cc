#include "systems/reserve/timetable.h"

#include <algorithm>
#include <limits>

#include "harness/core/routes.h"

namespace harness {
namespace {

constexpr int kSteps = 20;  ///< number of steps in which rates are lowered

/// Returns the shapes for batch sizes from 1 on.
std::vector<BatchShape> possible_shapes(const ServingContext& context, const Plan& plan, ModuleId module) {
  std::vector<BatchShape> shapes;
  const Profile& profile = *context.profiles[module];
  const int largest =
      profile.service == Service::kBatch ? std::min(plan.modules[module].max_batch, profile.max_batch()) : 1;
  TimeNs longest = 0;
  for (int size = 1; size <= largest; ++size) {
    longest = std::max(longest, batch_ns(context, plan, module, size));
    shapes.push_back({size, longest});
  }
  return shapes;
}

double rate(const BatchShape& shape, int workers) {
  return static_cast<double>(workers) * shape.size / static_cast<double>(shape.exec_ns);
}

double best_rate(const std::vector<BatchShape>& shapes, int workers) {
  double best = 0;
  for (const BatchShape& shape : shapes) best = std::max(best, rate(shape, workers));
  return best;
}

/// Returns for each module the smallest of `possible` whose rate is at least the wanted one.
std::vector<BatchShape> smallest_shapes(const Plan& plan,
                                        const std::vector<std::vector<BatchShape>>& possible,
                                        const std::vector<double>& wanted) {
  std::vector<BatchShape> shapes;
  for (ModuleId m = 0; m < plan.modules.size(); ++m) {
    const int workers = plan.modules[m].workers;
    shapes.push_back(*std::find_if(possible[m].begin(), possible[m].end(), [&](const BatchShape& shape) {
      return rate(shape, workers) >= wanted[m];
    }));
  }
  return shapes;
}

/// Returns the share of requests, arriving at any time, that can take the next batch of each module and end
/// in time.
double share_in_time(const ServingContext& context, const Plan& plan, const std::vector<BatchShape>& shapes) {
  std::vector<double> exec_ns;
  std::vector<double> spacing_ns;
  for (ModuleId m = 0; m < plan.modules.size(); ++m) {
    exec_ns.push_back(static_cast<double>(shapes[m].exec_ns));
    spacing_ns.push_back(static_cast<double>(shapes[m].spacing_ns(std::max(1, plan.modules[m].workers))));
  }
  const auto longest = [&](const std::vector<double>& times_ns) {
    return longest_after(*context.pipeline, times_ns).front() + times_ns.front();
  };
  return std::clamp((static_cast<double>(context.slo_ns) - longest(exec_ns)) / longest(spacing_ns), 0.0, 1.0);
}

}  // namespace

TimeNs batch_ns(const ServingContext& context, const Plan& plan, ModuleId module, int size) {
  const Profile& profile = *context.profiles[module];
  if (profile.service != Service::kBatch) return plan.modules[module].exec_ns;
  return latency_with_cores(profile, size, plan.modules[module].cores);
}

std::vector<BatchShape> batch_shapes(const ServingContext& context, const Plan& plan) {
  const std::vector<double> shares = visit_probabilities(*context.pipeline);
  std::vector<std::vector<BatchShape>> possible;
  double capacity = std::numeric_limits<double>::infinity();  // requests/ns
  for (ModuleId m = 0; m < plan.modules.size(); ++m) {
    possible.push_back(possible_shapes(context, plan, m));
    capacity = std::min(capacity, best_rate(possible[m], plan.modules[m].workers) / shares[m]);
  }
  std::vector<BatchShape> best;
  double most = -1;
  for (int step = kSteps; step > 0; --step) {
    const double part = static_cast<double>(step) / kSteps;
    if (part <= most) break;
    std::vector<double> wanted;
    for (ModuleId m = 0; m < plan.modules.size(); ++m) {
      wanted.push_back(part *
                       std::min(capacity * shares[m], best_rate(possible[m], plan.modules[m].workers)));
    }
    std::vector<BatchShape> shapes = smallest_shapes(plan, possible, wanted);
    const double served = std::min(part, share_in_time(context, plan, shapes));
    if (served <= most) continue;
    most = served;
    best = std::move(shapes);
  }
  return best;
}

void Lane::set(const BatchShape& shape, int workers) {
  shape_ = shape;
  spacing_ns_ = shape.spacing_ns(std::max(1, workers));
}

Lane::Place Lane::find(TimeNs ready_ns) const {
  const Batch& newest = batch(0);
  if (ready_ns <= newest.start_ns && has_room(newest)) return {ready_ns, newest.start_ns, false};
  return {ready_ns, std::max(ready_ns, next_start_ns(0)), true};
}

void Lane::reserve(const Place& place, double share) {
  if (place.opens) {
    // Shares may not divide the size: what is too much in a full batch counts in the next.
    const double over = place.start_ns == next_start_ns(0) ? std::max(0.0, batch(0).taken - shape_.size) : 0;
    ++newest_;
    batches_[newest_ % kKept] = {place.ready_ns, place.start_ns, over};
  }
  batches_[newest_ % kKept].taken += share;
}

TimeNs Lane::start_at(TimeNs at_ns) const {
  for (std::size_t back = 0; back < batches_.size(); ++back) {
    const Batch& last = batch(back);
    if (last.first_ready_ns > at_ns) continue;
    if (last.start_ns > at_ns && has_room(last)) return last.start_ns;
    return std::max(at_ns, next_start_ns(back));
  }
  return kNever;
}

Timetable::Timetable(const ServingContext& context, const Plan& plan)
    : context_(&context),
      shares_(visit_probabilities(*context.pipeline)),
      lanes_(plan.modules.size()),
      delays_(plan.modules.size()),
      places_(plan.modules.size()),
      ends_ns_(plan.modules.size(), 0) {
  set_plan(plan);
}

void Timetable::set_plan(const Plan& plan) {
  const std::vector<BatchShape> shapes = batch_shapes(*context_, plan);
  for (std::size_t m = 0; m < lanes_.size(); ++m) lanes_[m].set(shapes[m], plan.modules[m].workers);
  measure();
}

void Timetable::measure() {
  std::vector<double> exec_ns;
  std::vector<double> spacing_ns;
  for (const Lane& lane : lanes_) {
    exec_ns.push_back(static_cast<double>(lane.shape().exec_ns));
    spacing_ns.push_back(static_cast<double>(lane.spacing_ns()));
  }
  const std::vector<double> after_ns = longest_after(*context_->pipeline, exec_ns);
  after_ns_.assign(after_ns.begin(), after_ns.end());
  least_ns_ = after_ns_.front() + lanes_.front().shape().exec_ns;
  gaps_ns_ = static_cast<TimeNs>(longest_after(*context_->pipeline, spacing_ns).front() + spacing_ns.front());
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
  for (std::size_t m = 0; m < lanes_.size(); ++m) lanes_[m].reserve(places_[m], shares_[m]);
  return true;
}

}  // namespace harness
