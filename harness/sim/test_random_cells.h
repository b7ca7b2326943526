// Random cells for tests of laws: any pipeline, load, way of serving and scaling.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/serving/sizing_planner.h"
#include "harness/sim/test_world.h"

namespace harness::testing {

inline std::vector<Profile> random_profiles(RandomStream& random, std::size_t modules) {
  std::vector<Profile> profiles;
  for (std::size_t m = 0; m < modules; ++m) {
    // The values are drawn in statements of their own: compilers may evaluate arguments of a call in any
    // order.
    const int max_batch = 4 + static_cast<int>(random.below(29));
    const double an_item_ms = 1 + 10 * random.uniform();
    const double fixed_ms = 0.2 + 3 * random.uniform();
    profiles.push_back(linear_profile("m" + std::to_string(m), fixed_ms, an_item_ms, max_batch));
  }
  return profiles;
}

/// Returns Poisson arrivals whose rate jumps to random values around the mean.
inline std::vector<TimeNs> bursty_times(RandomStream& random, double mean_rps, TimeNs duration_ns) {
  std::vector<TimeNs> times;
  double at = 0;
  double rate = mean_rps;
  double change_at = 0;
  for (;;) {
    if (at >= change_at) {
      rate = mean_rps * (0.2 + 1.6 * random.uniform());
      change_at = at + 2e8 + 1e9 * random.uniform();
    }
    at += random.exponential() / rate * 1e9;
    if (at >= static_cast<double>(duration_ns)) return times;
    times.push_back(static_cast<TimeNs>(at));
  }
}

/// Returns a random cell without a load.
inline RunSpec random_cell(RandomStream& random, const SystemEntry& entry) {
  RunSpec spec;
  const std::uint64_t shape = random.below(4);
  spec.pipeline = shape == 3 ? diamond() : chain(1 + 2 * shape);
  spec.profiles = random_profiles(random, spec.pipeline.modules.size());
  spec.slo_ns = ms_to_ns(150 + 400 * random.uniform());
  spec.workers = static_cast<int>(spec.pipeline.modules.size() * (1 + random.below(3)));
  spec.seed = random.bits();
  spec.serving.commit = static_cast<Commit>(random.below(2));
  spec.serving.dispatch = static_cast<Dispatch>(random.below(2));
  spec.serving.queue = static_cast<QueueScope>(random.below(2));
  spec.serving.state_delay_ms = random.below(2) == 0 ? 0.0 : 50.0 * random.uniform();
  spec.planner.sizing_factor = 1.2 + random.uniform();
  spec.planner.max_batch = 32;
  spec.world.network_delay_ms = random.below(2) == 0 ? 0.0 : 2.0 * random.uniform();
  const std::uint64_t jitter = random.below(8);
  spec.world.jitter = jitter == 0 ? Jitter::kExponential : jitter < 3 ? Jitter::kUniform : Jitter::kOff;
  spec.world.jitter_fraction = 0.3 * random.uniform();
  if (random.below(4) == 0) {
    spec.planner.autoscale = true;
    spec.planner.workers = WorkerRule::kRate;
    spec.planner.period_s = 0.7;
    spec.planner.scale_down_s = 1;
    spec.planner.plan_time_ms = random.below(2) == 0 ? 0.0 : 1500 * random.uniform();
    spec.world.cold_start_ms = 500 * random.uniform();
  }
  spec.system = entry.make();
  return spec;
}

/// Returns a random DAG of 3 to 7 modules. Three in four of the modules with successors choose: one of them,
/// or each of them with a probability.
inline Pipeline random_pipeline(RandomStream& random) {
  const std::size_t count = 3 + random.below(5);
  Pipeline pipeline = chain(count);
  pipeline.name = "random";
  std::vector<std::vector<std::string>> pres(count);
  for (std::size_t m = 1; m < count; ++m) {
    std::set<std::uint64_t> chosen = {random.below(m)};
    while (random.below(3) == 0) chosen.insert(random.below(m));
    for (const std::uint64_t pre : chosen) pres[m].push_back("m" + std::to_string(pre));
  }
  HARNESS_CHECK(link_modules(pipeline, pres, std::vector<std::vector<std::string>>(count)).empty(), "a DAG");
  for (const Module& module : std::vector<Module>(pipeline.modules)) {
    if (module.subs.empty() || random.below(4) == 0) continue;
    const bool is_each = module.subs.size() < 2 || random.below(2) == 0;
    std::vector<std::string> order;
    std::vector<double> weights;
    for (const ModuleId sub : module.subs) {
      order.push_back(pipeline.modules[sub].name);
      weights.push_back(is_each ? 0.1 + 0.9 * random.uniform() : 0.2 + random.uniform());
    }
    HARNESS_CHECK((is_each ? choose_each(pipeline, module.name, order, weights)
                           : choose_one(pipeline, module.name, order, weights))
                      .empty(),
                  "a choice");
  }
  return pipeline;
}

/// Returns a cell without a load on a pipeline whose modules choose branches.
inline RunSpec random_dynamic_cell(RandomStream& random, const SystemEntry& entry) {
  RunSpec spec = random_cell(random, entry);
  const std::vector<Pipeline> shapes = dynamic_pipelines();
  const std::uint64_t shape = random.below(2 * shapes.size());
  spec.pipeline = shape < shapes.size() ? shapes[shape] : random_pipeline(random);
  spec.profiles = random_profiles(random, spec.pipeline.modules.size());
  spec.workers = static_cast<int>(spec.pipeline.modules.size() * (1 + random.below(3)));
  return spec;
}

/// Returns a cell without a load; one in four has a pipeline whose modules choose branches.
inline RunSpec random_cell_or_dynamic(RandomStream& random, const SystemEntry& entry) {
  return random.below(4) > 0 ? random_cell(random, entry) : random_dynamic_cell(random, entry);
}

/// Adds four seconds of bursts around a random multiple of the capacity. Throws InputError if no plan fits.
inline void add_load(RunSpec& spec, RandomStream& random) {
  const TimeNs duration_ns = s_to_ns(4);
  spec.arrivals = std::make_unique<FixedArrivals>(std::vector<TimeNs>{}, duration_ns);
  const double capacity = capacity_rps(make_context(spec), initial_plan(spec, 1000));
  const double rate = std::min(1500.0, capacity * (0.3 + 2 * random.uniform()));
  spec.arrivals = std::make_unique<FixedArrivals>(bursty_times(random, rate, duration_ns), duration_ns);
}

inline RunSpec loaded_cell(RandomStream& random, const SystemEntry& entry) {
  RunSpec spec = random_cell(random, entry);
  add_load(spec, random);
  return spec;
}

/// Returns the result of `draw`, which is called again while it throws InputError because no plan fits.
template <class Draw>
RunSpec next_with_a_plan(const Draw& draw) {
  for (;;) {
    try {
      return draw();
    } catch (const InputError&) {
    }
  }
}

inline std::vector<Fault> random_faults(RandomStream& random, int workers) {
  std::vector<Fault> faults(1 + random.below(6));
  for (Fault& fault : faults) {
    fault.kind = static_cast<FaultKind>(random.below(kFaultKinds));
    fault.at_ns = static_cast<TimeNs>(random.below(4500)) * kNsPerMs;
    fault.for_ns = s_to_ns(0.001 + 2 * random.uniform() * random.uniform());
    fault.first_gpu = static_cast<int>(random.below(static_cast<std::uint64_t>(workers)));
    fault.gpus = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(workers - fault.first_gpu)));
    fault.factor = 1 + 4 * random.uniform();
    fault.delay_ns = ms_to_ns(0.1 + 300 * random.uniform() * random.uniform());
  }
  return faults;
}

}  // namespace harness::testing
