// Proteus's router: one for each task, each in the dispatcher's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"
#include "harness/serving/router.h"
#include "harness/serving/serving_context.h"
#include "harness/serving/visit.h"
#include "systems/loki/metadata.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/shortest_of_some.h"
#include "systems/loki/table_draws.h"

namespace harness {

/// Proteus's router: draws a worker by the shares of the allocation, which are the same for each worker of a
/// variant.
class ShareOfVariantsRouter final : public Router {
 public:
  ShareOfVariantsRouter(const ServingContext& context, ModuleId task, const RoutingParams& params);

  /// Takes the plan in force, with its Metadata (Plan::details).
  void on_plan(const Plan& plan) override;
  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override;
  bool needs_outstanding() const override { return takes_shortest_; }

 private:
  bool takes_shortest_;
  std::shared_ptr<const Metadata> metadata_;
  TableDraws draws_;
  ShortestOfSome shortest_;
  std::vector<int> workers_;   ///< number of workers, by module
  std::vector<double> up_to_;  ///< sum of the shares up to and including each queue
};

}  // namespace harness
