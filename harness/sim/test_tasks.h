// A system for tests that serves task trees, and cells for it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/task_spec.h"
#include "harness/serving/system.h"
#include "harness/sim/test_random_cells.h"

namespace harness::testing {

inline Module variant(const std::string& model, double accuracy, std::vector<double> fan_out = {}) {
  Module module;
  module.model = model;
  module.accuracy = accuracy;
  module.fan_out = std::move(fan_out);
  return module;
}

inline Pipeline tree(const std::vector<TaskSpec>& tasks, bool fixed_fan_out = true) {
  Pipeline pipeline;
  pipeline.name = "tree";
  pipeline.fixed_fan_out = fixed_fan_out;
  const std::string wrong = link_tasks(pipeline, tasks);
  HARNESS_CHECK(wrong.empty(), wrong.c_str());
  return pipeline;
}

/// Returns a tree with a detector that finds three cars and one that finds one, and two classifiers of cars.
/// car_profiles() has their times.
inline Pipeline cars() {
  return tree({{"detect", {"cars"}, {variant("large", 1, {3}), variant("small", 0.5, {1})}},
               {"cars", {}, {variant("b7", 1), variant("b0", 0.8)}}});
}

inline std::vector<Profile> car_profiles() {
  return {linear_profile("large", 0, 10, 4), linear_profile("small", 0, 4, 4), linear_profile("b7", 0, 5, 4),
          linear_profile("b0", 0, 2, 4)};
}

/// The rules of a TreeSystem.
struct TreeRules {
  /// Numbers of workers by module, an entry for each plan; the last entry is also for all later plans.
  std::vector<std::vector<int>> workers;
  int max_batch = 1;
  double refuse = 0;          ///< share of the visits from other modules that routers refuse
  bool random = false;        ///< true if queues are chosen at random instead of in turn
  TimeNs clock_bound_ns = 0;  ///< largest difference between the clocks of a live run's ranks
  /// List to which each LoadStatistics::fan_out is added, unless null.
  std::vector<std::vector<std::vector<double>>>* measured = nullptr;
};

/// Plans the workers of the rules.
class TreePlanner final : public Planner {
 public:
  TreePlanner(const ServingContext& context, const TreeRules& rules) : context_(context), rules_(rules) {}
  Plan plan(TimeNs now, const LoadStatistics& load, const Plan&) override {
    constexpr double kMax = 1e5;  // visits/s in any test
    for (const double rps : load.module_rps)
      HARNESS_CHECK(rps > -kMax && rps < kMax, "a rate out of the world");
    HARNESS_CHECK(now == 0 || (load.offered_rps >= 0 && load.offered_rps < kMax), "a rate out of the world");
    if (rules_.measured != nullptr) rules_.measured->push_back(load.fan_out);
    const std::vector<int>& workers = rules_.workers[std::min(next_++, rules_.workers.size() - 1)];
    Plan plan;
    for (std::size_t m = 0; m < workers.size(); ++m) {
      const int cap = std::min(rules_.max_batch, context_.profiles[m]->max_batch());
      plan.modules.push_back({workers[m], cap, context_.profiles[m]->latency(cap)});
    }
    return plan;
  }

 private:
  const ServingContext& context_;
  const TreeRules& rules_;
  std::size_t next_ = 0;
};

class TreeRouter final : public Router {
 public:
  TreeRouter(const ServingContext& context, ModuleId task, const TreeRules& rules)
      : pipeline_(*context.pipeline), task_(task), rules_(rules), random_(context.seed, "test.tree", task) {}

  void route(TimeNs, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override {
    for (std::size_t i = 0; i < visits.size(); ++i) {
      HARNESS_CHECK(pipeline_.task_of(visits[i].module) == task_, "a visit of another task");
      const std::uint64_t at = rules_.random ? random_.below(queues.size()) : next_++ % queues.size();
      out[i] = static_cast<std::uint32_t>(at);
    }
    for (const QueueView& view : queues)
      HARNESS_CHECK(pipeline_.task_of(view.group) == task_, "a queue of another task");
  }

  void route_onward(TimeNs now, const Upstream& from, std::span<const Visit> visits,
                    std::span<const QueueView> queues, std::span<std::uint32_t> out) override {
    HARNESS_CHECK(pipeline_.task_of(from.module) == pipeline_.modules[task_].pres.front(), "from elsewhere");
    HARNESS_CHECK(from.arrived_ns.size() == visits.size(), "not one parent for each visit");
    for (std::size_t i = 0; i < visits.size(); ++i) {
      HARNESS_CHECK(from.arrived_ns[i] >= visits[i].sent_ns - rules_.clock_bound_ns &&
                        from.arrived_ns[i] < now + rules_.clock_bound_ns,
                    "a parent's arrival");
    }
    route(now, visits, queues, out);
    for (std::uint32_t& choice : out) {
      if (rules_.refuse > 0 && random_.uniform() < rules_.refuse) choice = kRefused;
    }
  }

 private:
  const Pipeline& pipeline_;
  ModuleId task_;
  const TreeRules& rules_;
  RandomStream random_;
  std::uint64_t next_ = 0;
};

class TreeSystem final : public System {
 public:
  explicit TreeSystem(TreeRules rules) : rules_(std::move(rules)), naive_(find_system("naive")->make()) {}
  void list(ParamList&) override {}
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId queue,
                                            GroupId group) override {
    return naive_->make_scheduler(context, queue, group);
  }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    return std::make_unique<TreePlanner>(context, rules_);
  }
  std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module) override {
    return std::make_unique<TreeRouter>(context, module, rules_);
  }

 private:
  TreeRules rules_;
  std::unique_ptr<System> naive_;
};

inline RunSpec tree_cell(Pipeline pipeline, std::vector<Profile> profiles, TreeRules rules,
                         std::vector<TimeNs> times, TimeNs duration_ns) {
  RunSpec spec;
  spec.pipeline = std::move(pipeline);
  spec.profiles = std::move(profiles);
  spec.slo_ns = s_to_ns(1);
  for (const std::vector<int>& workers : rules.workers) {
    int sum = 0;
    for (const int each : workers) sum += each;
    spec.workers = std::max(spec.workers, sum);
  }
  spec.system = std::make_unique<TreeSystem>(std::move(rules));
  spec.arrivals = std::make_unique<FixedArrivals>(std::move(times), duration_ns);
  return spec;
}

/// The kind of trees that random_tree_cell() draws.
struct TreeKind {
  bool branches = true;  ///< true if a request may have several visits at a time
  bool refuses = true;   ///< true if routers may refuse visits
  bool replans = true;   ///< true if later plans may give workers to other variants
  TimeNs clock_bound_ns = 0;
};

/// Returns a tree of up to five tasks with up to three variants each.
inline Pipeline random_tree(RandomStream& random, bool branches = true) {
  std::vector<TaskSpec> tasks(1 + random.below(5));
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    tasks[t].name = "t" + std::to_string(t);
    if (t > 0) tasks[branches ? random.below(t) : t - 1].subs.push_back(tasks[t].name);
  }
  for (TaskSpec& task : tasks) {
    for (std::uint64_t v = 1 + random.below(3); v > 0; --v) {
      std::vector<double> fan_out;
      for (std::size_t s = 0; s < task.subs.size(); ++s)
        fan_out.push_back((branches ? 2.5 : 1.0) * random.uniform());
      task.variants.push_back(variant("v" + std::to_string(v), 0.2 + 0.8 * random.uniform(), fan_out));
    }
  }
  const bool fixed = random.below(2) == 0;
  return tree(tasks, fixed || !branches);
}

/// Returns a cell with a random tree of the kind, served by a TreeSystem.
inline RunSpec random_tree_cell(RandomStream& random, const TreeKind& kind = {}) {
  RunSpec spec = random_cell(random, all_systems().front());
  Pipeline pipeline = random_tree(random, kind.branches);
  std::vector<Profile> profiles = random_profiles(random, pipeline.modules.size());
  TreeRules rules;
  const std::uint64_t plans = 1 + random.below(4);
  rules.workers.resize(kind.replans ? plans : 1);
  for (std::vector<int>& workers : rules.workers) {
    for (const Task& task : pipeline.tasks) {
      const std::size_t first = workers.size();
      for (int v = 0; v < task.variants; ++v) workers.push_back(static_cast<int>(random.below(3)));
      if (random.below(8) > 0) ++workers[first + random.below(static_cast<std::uint64_t>(task.variants))];
    }
  }
  rules.max_batch = 1 + static_cast<int>(random.below(16));
  rules.refuse = random.below(2) == 0 || !kind.refuses ? 0.0 : 0.05;
  rules.random = random.below(2) == 0;
  rules.clock_bound_ns = kind.clock_bound_ns;
  const TimeNs slo_ns = spec.slo_ns;
  RunSpec cell = tree_cell(std::move(pipeline), std::move(profiles), std::move(rules),
                           bursty_times(random, 30 + 200 * random.uniform(), s_to_ns(3)), s_to_ns(3));
  cell.slo_ns = slo_ns;
  cell.workers = std::max(1, cell.workers);
  cell.seed = spec.seed;
  cell.answers = static_cast<Answers>(random.below(2));
  cell.serving = spec.serving;
  cell.world = spec.world;
  cell.planner.autoscale = true;
  cell.planner.workers = WorkerRule::kRate;
  cell.planner.period_s = 0.6;
  cell.planner.plan_time_ms = spec.planner.plan_time_ms;
  cell.world.cold_start_ms = 300 * random.uniform();
  if (random.below(3) == 0) cell.faults = random_faults(random, cell.workers);
  return cell;
}

}  // namespace harness::testing
