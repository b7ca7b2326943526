#include "systems/my_system/my_system.h"

#include <gtest/gtest.h>

#include "harness/serving/test_params.h"
#include "harness/serving/test_world.h"

namespace harness {
namespace {

TEST(MySystem, ServesTheNewestAndDropsWhatIsTooLate) {
  TestWorld world({linear_profile(10, 5, 2)}, 100 * kMs, 1);
  const std::unique_ptr<System> system = make_my_system();
  set_params(*system, {{"margin_ms", 5.0}});
  SchedulerDriver driver(system->make_scheduler(world.context, 0, 0), world.context);
  driver.plan(0, world.plan({2}));
  driver.arrive(0, 1, 0);
  driver.arrive(0, 2, -25 * kMs);  // due at 75 ms: 50 + 20 + 5
  driver.arrive(0, 3, -25 * kMs - 1);
  driver.arrive(0, 4, 0);
  driver.cancel(0, 4);
  EXPECT_EQ(driver.add(50 * kMs, 0), "drop 3 estimated_late; join 0<2; join 0<1; launch 0");
}

}  // namespace
}  // namespace harness
