// Small worlds for PARD's tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "harness/serving/plan.h"
#include "harness/serving/serving_context.h"

namespace harness {

/// A pipeline given by its edges, and a plan with the given execution times, with one worker and a batch of 4
/// for each module.
struct PardTestWorld {
  PardTestWorld(const std::vector<TimeNs>& exec_ns, const std::vector<std::pair<ModuleId, ModuleId>>& edges) {
    pipeline.name = "test";
    pipeline.modules.resize(exec_ns.size());
    for (std::size_t i = 0; i < exec_ns.size(); ++i)
      pipeline.modules[i].name = std::string("m") + std::to_string(i);
    for (const auto& [from, to] : edges) {
      pipeline.modules[from].subs.push_back(to);
      pipeline.modules[to].pres.push_back(from);
    }
    for (const TimeNs exec : exec_ns) plan.modules.push_back({1, 4, exec, 0});
    context.pipeline = &pipeline;
    context.profiles.assign(exec_ns.size(), &profile);
    context.seed = 1;
  }
  PardTestWorld(const PardTestWorld&) = delete;
  PardTestWorld& operator=(const PardTestWorld&) = delete;

  Pipeline pipeline;
  Profile profile;  ///< profile of every module: served in batches, whose execution times the plan gives
  Plan plan;
  ServingContext context;
};

inline std::vector<std::pair<ModuleId, ModuleId>> chain_of(ModuleId modules) {
  std::vector<std::pair<ModuleId, ModuleId>> edges;
  for (ModuleId i = 1; i < modules; ++i) edges.emplace_back(i - 1, i);
  return edges;
}

}  // namespace harness
