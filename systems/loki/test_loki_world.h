// A task tree with its context, for tests of Loki's parts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/task_spec.h"
#include "harness/serving/serving_context.h"

namespace harness {

inline Module task_variant(const std::string& model, double accuracy, std::vector<double> fan_out = {}) {
  Module module;
  module.model = model;
  module.accuracy = accuracy;
  module.fan_out = std::move(fan_out);
  return module;
}

/// A task tree with its profiles and context. It is neither copied nor moved, because the context points into
/// it.
struct LokiWorld {
  /// `latency_ms` holds the latencies by module, then by batch size from 1.
  LokiWorld(const std::vector<TaskSpec>& tasks, const std::vector<std::vector<double>>& latency_ms,
            double slo_ms, int workers) {
    const std::string wrong = link_tasks(pipeline, tasks);
    HARNESS_CHECK(wrong.empty(), wrong.c_str());
    profiles.resize(latency_ms.size());
    for (std::size_t m = 0; m < latency_ms.size(); ++m) {
      for (const double ms : latency_ms[m]) profiles[m].latency_ns.push_back(ms_to_ns(ms));
      context.profiles.push_back(&profiles[m]);
    }
    context.pipeline = &pipeline;
    context.slo_ns = ms_to_ns(slo_ms);
    context.workers = workers;
    context.seed = 1;
  }
  LokiWorld(const LokiWorld&) = delete;
  LokiWorld& operator=(const LokiWorld&) = delete;

  Pipeline pipeline;
  std::vector<Profile> profiles;
  ServingContext context;
};

}  // namespace harness
