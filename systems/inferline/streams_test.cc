// InferLine on several independent pipelines: each is planned and tuned by the requests of its own streams,
// and the cluster is shared.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/serving/test_params.h"
#include "harness/sim/test_groups.h"

namespace harness {
namespace {

constexpr TimeNs kSampleNs = 20 * kNsPerS;

/// A chain of that many models of `ms`, with its SLO and queries.
struct Part {
  std::size_t models = 1;
  double ms = 10;
  double slo_ms = 100;
  std::vector<TimeNs> sample;
};

struct World {
  std::vector<Part> parts;
  Pipeline pipeline;
  std::vector<Profile> profiles;
  PlanningTimes planning;
  ServingContext context;
  std::unique_ptr<System> system = find_system("inferline")->make();

  World(std::vector<Part> of, int workers) : parts(std::move(of)) {
    std::vector<std::size_t> lengths;
    std::vector<std::pair<TimeNs, StreamId>> sent;
    for (const Part& part : parts) {
      const auto entry = static_cast<ModuleId>(profiles.size());
      context.streams.push_back({entry, ms_to_ns(part.slo_ms), 0});
      context.slo_ns = std::max(context.slo_ns, ms_to_ns(part.slo_ms));
      lengths.push_back(part.models);
      for (std::size_t m = 0; m < part.models; ++m)
        profiles.push_back(testing::linear_profile("m", 1, part.ms, 8));
      for (const TimeNs time : part.sample)
        sent.emplace_back(time, static_cast<StreamId>(context.streams.size() - 1));
    }
    std::ranges::stable_sort(sent);
    for (const auto& [time, stream] : sent) {
      planning.sample.push_back(time);
      if (parts.size() > 1) planning.sample_streams.push_back(stream);
    }
    planning.sample_ns = kSampleNs;
    pipeline = testing::independent(lengths);
    pipeline.independent = true;
    context.pipeline = &pipeline;
    for (const Profile& profile : profiles) context.profiles.push_back(&profile);
    context.workers = workers;
    context.planning = &planning;
    context.activation_ns.assign(profiles.size(), kNsPerS);
  }
};

std::vector<TimeNs> times(double rate_rps, std::uint64_t seed) {
  return testing::poisson_times(rate_rps, kSampleNs, seed);
}

const std::vector<Part> kParts = {
    {3, 10, 120, times(150, 1)}, {1, 40, 90, times(60, 2)}, {2, 25, 400, times(20, 3)}};

TEST(InferLineStreams, EachPipelineIsPlannedAndTunedAsAlone) {
  World all(kParts, 500);
  const auto planner = all.system->make_planner(all.context);
  Plan plan = planner->plan(0, {}, {});
  // After a second three times as much comes to the second, and nothing else changes.
  const auto later = [](double rate_rps) { return testing::poisson_times(rate_rps, kNsPerS, 9); };
  const std::vector<double> rates = {150, 180, 20};
  LoadStatistics load;
  std::vector<std::pair<TimeNs, StreamId>> sent;
  for (StreamId stream = 0; stream < rates.size(); ++stream) {
    for (const TimeNs time : later(rates[stream])) sent.emplace_back(time, stream);
  }
  std::ranges::stable_sort(sent);
  for (const auto& [time, stream] : sent) {
    load.sent_ns.push_back(time);
    load.sent_streams.push_back(stream);
  }
  const Plan tuned = planner->plan(kNsPerS, load, plan);
  std::size_t first = 0;
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    World own({kParts[part]}, 500);
    const auto alone = own.system->make_planner(own.context);
    const Plan before = alone->plan(0, {}, {});
    LoadStatistics own_load;
    own_load.sent_ns = later(rates[part]);
    const Plan after = alone->plan(kNsPerS, own_load, before);
    for (std::size_t m = 0; m < kParts[part].models; ++m) {
      EXPECT_EQ(plan.modules[first + m], before.modules[m]) << part << " " << m;
      EXPECT_EQ(tuned.modules[first + m], after.modules[m]) << part << " " << m;
    }
    first += kParts[part].models;
  }
  EXPECT_GT(tuned.modules[3].workers, plan.modules[3].workers);
}

TEST(InferLineStreams, ShareTheCluster) {
  std::vector<Part> parts = kParts;
  parts[0].sample = times(900, 4);
  World world(parts, 8);
  const auto refusal = [&] {
    try {
      world.system->make_planner(world.context)->plan(0, {}, {});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal().find("of the devices 'GPU', the cluster has 8"), std::string::npos) << refusal();
  set_params(*world.system, {{"too_small", std::string("shrink")}});
  const Plan plan = world.system->make_planner(world.context)->plan(0, {}, {});
  int sum = 0;
  for (const ModulePlan& module : plan.modules) sum += module.workers;
  EXPECT_EQ(sum, 8);
}

TEST(InferLineStreams, AModelWithoutASampleIsNamed) {
  std::vector<Part> parts = kParts;
  parts[1].sample.clear();
  World world(parts, 500);
  try {
    world.system->make_planner(world.context)->plan(0, {}, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no query at m3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace harness
