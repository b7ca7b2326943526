// What workers that serve several modules can do at most (engine/shared_time.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "harness/core/test_time.h"
#include "harness/engine/fluid_bound.h"
#include "harness/sim/simulation.h"
#include "harness/sim/test_groups.h"
#include "harness/sim/test_system.h"

namespace harness {
namespace {

/// One worker for a (1 ms a visit, however many in a batch) and b (10 ms); `a` and `b` requests, evenly over
/// a second, due after 100 ms.
RunSpec one_worker(int a, int b, std::vector<WorkerGroup> groups = {{1, {0, 1}}}) {
  int workers = 0;
  for (const WorkerGroup& group : groups) workers += group.workers;
  RunSpec spec = testing::side_by_side_cell(
      {testing::linear_profile("a", 1, 0, 8), testing::linear_profile("b", 10, 0, 8)},
      {{0, 100 * kMs, 0}, {1, 100 * kMs, 0}}, workers,
      std::make_unique<testing::GroupSystem>(std::move(groups), 0.0));
  std::vector<std::pair<TimeNs, StreamId>> sent;
  for (int i = 0; i < a; ++i) sent.emplace_back(kNsPerS / a * i, 0);
  for (int i = 0; i < b; ++i) sent.emplace_back(kNsPerS / b * i, 1);
  spec.arrivals = testing::arrivals_of(std::move(sent), kNsPerS);
  return spec;
}

std::uint64_t bound_of(const RunSpec& spec) { return fluid_bound(spec, simulate(spec, nullptr)); }

TEST(SharedTime, IsDividedAmongTheModulesCheapestFirst) {
  // The last request, the 500th of a, is due at 1.098 s. They take 0.5 s together; 59 of b fit into the rest.
  EXPECT_EQ(bound_of(one_worker(500, 100)), 500U + 59U);
}

TEST(SharedTime, GpusWithoutAWorkerDoNothing) {
  RunSpec spec = one_worker(500, 100);
  spec.workers = 10;
  EXPECT_EQ(bound_of(spec), 500U + 59U);
}

TEST(SharedTime, SetsNoLimitToWorkersOfOneModuleEach) {
  EXPECT_EQ(bound_of(one_worker(500, 100, {{1, {0}}, {1, {1}}})), 600U);
}

TEST(SharedTime, NothingIsInTimeThatIsDueBeforeItsBatchCanEnd) {
  RunSpec spec = one_worker(500, 50);
  spec.streams[1].slo_ns = 9 * kMs;
  EXPECT_EQ(bound_of(spec), 500U);
}

}  // namespace
}  // namespace harness
