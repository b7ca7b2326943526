// The models that InferLine serves: all of a pipeline's, or of each task of a task tree the most accurate
// variant (as Loki's evaluation, section 6.1, has InferLine serve such trees).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/serving/context.h"

namespace harness {

/// The pipeline as it has no other variants (Pipeline::tasks); itself where it has no tasks.
Pipeline most_accurate_part(const Pipeline& pipeline);

/// The world of a cell as it would be without the models that are not served: what is planned there is meant
/// for module() of each model.
class ServedModels {
 public:
  /// `context` outlives this.
  explicit ServedModels(const ServingContext& context);
  /// Of independent pipelines the one of that entry, with its own SLO and the requests of its own streams.
  ServedModels(const ServingContext& context, ModuleId entry);
  ServedModels(const ServedModels&) = delete;

  const ServingContext& context() const { return context_; }
  /// Those of `sent_ns` that a stream of this world sends; `streams` as LoadStatistics::sent_streams.
  std::vector<TimeNs> own_times(std::span<const TimeNs> sent_ns, std::span<const StreamId> streams) const;
  std::size_t size() const { return modules_.size(); }
  /// The model's, in the pipeline that is served.
  ModuleId module(std::size_t model) const { return modules_[model]; }

 private:
  ServedModels(const ServingContext& context, std::vector<ModuleId> modules);

  Pipeline pipeline_;
  std::vector<ModuleId> modules_;  ///< by model
  std::vector<bool> has_stream_;   ///< by stream of the cell: whether it enters here; empty: all
  PlanningTimes planning_;         ///< of those streams
  std::vector<ClusterDevice> devices_;
  ServingContext context_;
};

}  // namespace harness
