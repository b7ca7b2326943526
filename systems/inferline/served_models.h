// The models that InferLine serves: all models of a pipeline, or the most accurate variant of each task of a
// task tree (Loki's evaluation, section 6.1, has InferLine serve such trees so).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/serving/cluster_device.h"
#include "harness/serving/planning_times.h"
#include "harness/serving/serving_context.h"

namespace harness {

/// Returns the pipeline as if each task had its most accurate variant only (Pipeline::tasks); the pipeline
/// itself if it has no tasks.
Pipeline most_accurate_part(const Pipeline& pipeline);

/// The world of a cell as if it had only the models that are served. A plan that is made there for a model is
/// meant for the module() of that model.
class ServedModels {
 public:
  /// `context` must outlive this.
  explicit ServedModels(const ServingContext& context);
  /// Serves, of several independent pipelines, the one of that entry, with its own SLO and the requests of
  /// its own streams.
  ServedModels(const ServingContext& context, ModuleId entry);
  ServedModels(const ServedModels&) = delete;

  const ServingContext& context() const { return context_; }
  /// Returns the times in `sent_ns` at which a stream of this world sent. `streams` is the stream of each
  /// time, as in LoadStatistics::sent_streams.
  std::vector<TimeNs> own_times(std::span<const TimeNs> sent_ns, std::span<const StreamId> streams) const;
  std::size_t size() const { return modules_.size(); }
  /// Returns the model's module in the cell's pipeline.
  ModuleId module(std::size_t model) const { return modules_[model]; }

 private:
  ServedModels(const ServingContext& context, std::vector<ModuleId> modules);

  Pipeline pipeline_;
  std::vector<ModuleId> modules_;  ///< module of each model in the cell's pipeline
  std::vector<bool> has_stream_;   ///< true if the cell's stream enters here, by stream; empty: all do
  PlanningTimes planning_;         ///< sending times of the streams that enter here
  std::vector<ClusterDevice> devices_;
  ServingContext context_;
};

}  // namespace harness
