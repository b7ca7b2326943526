// Pipelines that are scaled as a whole (QUART, section 8.1).
#pragma once

#include <cstddef>
#include <vector>

#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"

namespace harness {

/// The workers of each module in a number of whole pipelines. The module that takes most time of a request
/// (visits / throughput of a worker) has one worker for each pipeline; the others have theirs in proportion,
/// rounded up. If all modules take the same time, as in QUART's models, each has as many as there are
/// pipelines.
class WholePipelines {
 public:
  /// `batches` are the batch sizes, by module, at which its throughput counts.
  WholePipelines(const ServingContext& context, const std::vector<int>& batches);

  std::vector<int> workers(int pipelines) const;
  /// Returns the fewest pipelines in which each module has `busy[m]` workers or more, or as many pipelines as
  /// the cluster holds; at least one.
  int holding(const std::vector<double>& busy) const;
  /// Returns the fewest pipelines that carry that many requests/s, within the bounds of holding().
  int carrying(double rate_rps) const;
  /// Returns the number of pipelines in the plan, which is its workers of the module that takes most time.
  int in(const Plan& plan) const { return plan.modules[slowest_].workers; }
  /// Returns how many pipelines the cluster holds; 0 if it does not hold even one.
  int most() const { return most_; }

 private:
  std::vector<double> work_s_;  ///< worker seconds that a request takes, by module
  std::size_t slowest_ = 0;
  int most_ = 0;
};

}  // namespace harness
