// The models that InferLine serves: all of a pipeline's, or of each task of a task tree the most accurate
// variant (as Loki's evaluation, section 6.1, has InferLine serve such trees).
#pragma once

#include <cstddef>
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
  ServedModels(const ServedModels&) = delete;

  const ServingContext& context() const { return context_; }
  std::size_t size() const { return modules_.size(); }
  /// The model's, in the pipeline that is served.
  ModuleId module(std::size_t model) const { return modules_[model]; }

 private:
  Pipeline pipeline_;
  std::vector<ModuleId> modules_;  ///< by model
  std::vector<ClusterDevice> devices_;
  ServingContext context_;
};

}  // namespace harness
