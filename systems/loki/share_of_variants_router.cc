#include "systems/loki/share_of_variants_router.h"

#include <algorithm>

namespace harness {

ShareOfVariantsRouter::ShareOfVariantsRouter(const ServingContext& context, ModuleId task,
                                             const RoutingParams& params)
    : takes_shortest_(task == 0 && params.root_routing == RootRouting::kShortest),
      draws_(params.draw, context.seed, "proteus.route", task),
      workers_(context.pipeline->modules.size(), 0) {}

void ShareOfVariantsRouter::on_plan(const Plan& plan) {
  metadata_ = std::static_pointer_cast<const Metadata>(plan.details);
}

void ShareOfVariantsRouter::route(TimeNs now, std::span<const Visit> visits,
                                  std::span<const QueueView> queues, std::span<std::uint32_t> out) {
  std::fill(workers_.begin(), workers_.end(), 0);
  for (const QueueView& queue : queues) workers_[queue.group] += queue.workers;
  up_to_.clear();
  double sum = 0;
  for (const QueueView& queue : queues)
    up_to_.push_back(sum += metadata_->share[queue.group] * queue.workers / workers_[queue.group]);
  if (takes_shortest_) {
    shortest_.clear();
    for (std::uint32_t i = 0; i < queues.size(); ++i) {
      if (sum == 0 || metadata_->share[queues[i].group] > 0) shortest_.add(i, queues[i]);
    }
    return shortest_.choose(now, visits, out);
  }
  for (std::size_t i = 0; i < visits.size(); ++i) {
    // Until other variants have started, the variants that the newest allocation leaves out are all there is.
    const double number = draws_.next();
    const auto place = sum > 0 ? std::upper_bound(up_to_.begin(), up_to_.end(), number * sum) - up_to_.begin()
                               : static_cast<std::ptrdiff_t>(number * static_cast<double>(queues.size()));
    out[i] = static_cast<std::uint32_t>(std::min(place, static_cast<std::ptrdiff_t>(queues.size()) - 1));
  }
}

}  // namespace harness
