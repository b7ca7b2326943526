// Task trees with workers, for the tests of the routing tables.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/random_stream.h"
#include "harness/core/task_spec.h"
#include "systems/loki/most_accurate_first.h"
#include "systems/loki/routing_params.h"
#include "systems/loki/routing_tables.h"
#include "systems/loki/test_loki_world.h"

namespace harness {

inline Pipeline linked(const std::vector<TaskSpec>& tasks) {
  Pipeline pipeline;
  EXPECT_EQ(link_tasks(pipeline, tasks), "");
  return pipeline;
}

inline std::vector<std::vector<double>> fan_out_of(const Pipeline& pipeline) {
  std::vector<std::vector<double>> fan_out;
  for (const Module& module : pipeline.modules) fan_out.push_back(module.fan_out);
  return fan_out;
}

/// Returns the place of a module's task in Pipeline::tasks.
inline std::size_t task_index(const Pipeline& pipeline, ModuleId module) {
  const auto found = std::find_if(pipeline.tasks.begin(), pipeline.tasks.end(),
                                  [&](const Task& task) { return task.first == pipeline.task_of(module); });
  return static_cast<std::size_t>(found - pipeline.tasks.begin());
}

struct RoutingCase {
  Pipeline pipeline;
  std::vector<RoutedWorker> workers;
  double demand_rps = 0;
};

/// Returns the tables that MostAccurateFirst makes for the fan-outs that the pipeline declares.
inline RoutingTables tables_of(const RoutingCase& made, Overflow overflow = Overflow::kEqual,
                               Ties ties = Ties::kFill) {
  RoutingTables tables;
  MostAccurateFirst(made.pipeline, overflow, ties)
      .build(made.workers, fan_out_of(made.pipeline), made.demand_rps, tables);
  return tables;
}

/// Returns a random case: up to six tasks of up to four variants, some equally accurate; up to 24 workers,
/// some without capacity; means of 0 to 4 visits; demands from 0 to far more than there is capacity.
inline RoutingCase random_case(RandomStream& random) {
  const std::size_t tasks = 1 + random.below(6);
  std::vector<TaskSpec> specs(tasks);
  for (std::size_t t = 0; t < tasks; ++t) specs[t].name = "t" + std::to_string(t);
  for (std::size_t t = 1; t < tasks; ++t) specs[random.below(t)].subs.push_back(specs[t].name);
  for (TaskSpec& spec : specs) {
    const std::uint64_t variants = 1 + random.below(4);
    for (std::uint64_t v = 0; v < variants; ++v) {
      std::vector<double> fan_out;
      for (std::size_t s = 0; s < spec.subs.size(); ++s)
        fan_out.push_back(random.below(6) == 0 ? 0 : 4 * random.uniform());
      const double accuracy = static_cast<double>(1 + random.below(6)) / 6;
      spec.variants.push_back(task_variant("m" + std::to_string(v), accuracy, std::move(fan_out)));
    }
  }
  RoutingCase made{linked(specs), {}, random.below(8) == 0 ? 0 : 400 * random.uniform()};
  const std::uint64_t workers = random.below(25);
  WorkerId id = 0;
  for (std::uint64_t w = 0; w < workers; ++w) {
    const double capacity = random.below(10) == 0 ? 0 : 0.5 + 150 * random.uniform();
    const auto module = static_cast<ModuleId>(random.below(made.pipeline.modules.size()));
    made.workers.push_back({id, module, capacity, ms_to_ns(1 + 50 * random.uniform())});
    id += 1 + static_cast<WorkerId>(random.below(3));
  }
  return made;
}

}  // namespace harness
