#include "harness/serving/group_capacity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

TEST(GroupCapacity, ByHand) {
  struct Case {
    const char* what;
    std::vector<WorkerGroup> groups;
    std::vector<double> rps;
    double expected;
  };
  const double none = std::numeric_limits<double>::infinity();
  const Case cases[] = {
      {"one group shares its time: 1/100 + 1/50 s of three workers", {{3, {0, 1}}}, {100, 50}, 3 / 0.03},
      {"the slowest of separate groups decides", {{1, {0}}, {5, {1}}}, {100, 50}, 100},
      {"module 0 takes what module 1 leaves: nothing of its one", {{1, {0, 1}}, {2, {0}}}, {100, 50}, 50},
      {"and here one of two", {{2, {0, 1}}, {1, {0}}}, {100, 50}, 100},
      {"a module without requests asks for nothing", {{1, {0}}, {1, {1}}}, {100, none}, 100},
      {"a module without workers allows nothing", {{4, {0}}}, {100, 50}, 0},
      {"nor one that is next to free", {{4, {0}}}, {100, 1e15}, 0},
      {"nor a group without workers", {{4, {0}}, {0, {1}}}, {100, 50}, 0},
      {"whatever it takes", {{4, {0}}, {0, {1}}}, {100, 1e15}, 0}};
  for (const Case& each : cases)
    EXPECT_DOUBLE_EQ(group_capacity_rps(each.groups, each.rps), each.expected) << each.what;
}

TEST(GroupCapacity, AModuleMayNeedNextToNothing) {
  // Less of the workers' time than the rounding of the others' work.
  for (const double rare : {1e6, 1e8, 1e10, 1e12, 1e15, 1e17}) {
    const double expected = 10'000 / (1.0 / 3 + 1 / rare);
    EXPECT_DOUBLE_EQ(group_capacity_rps(std::vector<WorkerGroup>{{10'000, {0, 1}}}, {3, rare}), expected);
    EXPECT_DOUBLE_EQ(group_capacity_rps(std::vector<WorkerGroup>{{10'000, {0, 1}}}, {rare, 3}), expected);
    EXPECT_DOUBLE_EQ(
        group_capacity_rps(std::vector<WorkerGroup>{{7, {0}}, {3, {0, 1}}, {5, {1, 2}}}, {3, rare, 5}), 25)
        << "module 2 needs all of its workers";
  }
}

TEST(GroupCapacity, ManyGroupsOfTheSameModulesAreAsOne) {
  // A group per GPU, as Nexus has them: 30,000 workers for both, 30,000 for module 0 alone. Looking for room
  // from group to group would be quadratic.
  std::vector<WorkerGroup> groups;
  for (int i = 0; i < 30'000; ++i) {
    groups.push_back({1, {0, 1}});
    groups.push_back({1, {0}});
  }
  EXPECT_DOUBLE_EQ(group_capacity_rps(groups, {100, 100}), 60'000 / 0.02);
  EXPECT_DOUBLE_EQ(group_capacity_rps(groups, {100, 10}), 30'000 * 10.0)
      << "module 1 needs all that serve it";
}

/// Returns the capacity by Hall's condition, over every set of modules.
double by_sets(const std::vector<WorkerGroup>& groups, const std::vector<double>& rps) {
  double least = std::numeric_limits<double>::infinity();
  for (unsigned set = 1; set < 1U << rps.size(); ++set) {
    double seconds = 0;
    for (std::size_t m = 0; m < rps.size(); ++m) seconds += (set >> m & 1U) != 0 ? 1 / rps[m] : 0.0;
    double workers = 0;
    for (const WorkerGroup& group : groups) {
      const auto in_set = [set](ModuleId module) { return (set >> module & 1U) != 0; };
      if (std::any_of(group.modules.begin(), group.modules.end(), in_set)) workers += group.workers;
    }
    least = std::min(least, workers / seconds);
  }
  return least;
}

TEST(GroupCapacity, AgreesWithAllSetsOfModules) {
  RandomStream random(1, "group capacity");
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> rps(1 + random.below(5));
    for (double& each : rps) each = std::pow(10, 2 + (round % 2 == 0 ? 1 : 14) * random.uniform());
    std::vector<WorkerGroup> groups(1 + random.below(4));
    for (WorkerGroup& group : groups) {
      group.workers = 1 + static_cast<int>(random.below(6));
      for (ModuleId m = 0; m < rps.size(); ++m) {
        if (random.below(2) == 0) group.modules.push_back(m);
      }
    }
    const double expected = by_sets(groups, rps);
    EXPECT_NEAR(group_capacity_rps(groups, rps), expected, 1e-6 * expected) << "round " << round;
  }
}

}  // namespace
}  // namespace harness
