#include "harness/experiment/cell_devices.h"

#include <gtest/gtest.h>

#include "harness/sim/test_world.h"

namespace harness {
namespace {

RunSpec chain_of(const std::string& system) {
  std::vector<Profile> profiles = {testing::linear_profile("m0", 2, 4, 4),
                                   testing::linear_profile("m1", 2, 4, 8)};
  return testing::make_spec(system, testing::chain(2), std::move(profiles), {{1, 2}, {2, 2}}, kNsPerS,
                            testing::poisson_times(10, kNsPerS, 1), kNsPerS);
}

TEST(CellDevices, LoadTheBatchesOfThePlanOrOfAnyThatMayFollow) {
  Plan plan;
  plan.modules.resize(2);
  plan.modules[0].batch_cap = 1;
  plan.modules[1].batch_cap = 2;
  EXPECT_EQ(largest_batches(chain_of("naive"), plan), (std::vector<int>{1, 2}));
  // Chooses batches anew each time that it allocates workers, also without groups.
  EXPECT_EQ(largest_batches(chain_of("loki"), plan), (std::vector<int>{4, 8}));
  RunSpec streaming = chain_of("naive");
  streaming.profiles[1].service = Service::kShared;
  EXPECT_EQ(largest_batches(streaming, plan), (std::vector<int>{1, 0}));
}

}  // namespace
}  // namespace harness
