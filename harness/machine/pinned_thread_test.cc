#include "harness/machine/pinned_thread.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <vector>

#include "harness/core/environment_error.h"

namespace harness {
namespace {

TEST(PinnedThread, StaysOnItsCoreAndGivesTheOthersBack) {
  const std::vector<int> before = allowed_cores();
  ASSERT_FALSE(before.empty());
  {
    const PinnedThread pinned(before.back());
    EXPECT_EQ(allowed_cores(), std::vector<int>{before.back()});
    EXPECT_EQ(sched_getcpu(), before.back());
  }
  EXPECT_EQ(allowed_cores(), before);
}

TEST(PinnedThread, ACoreThatIsNotThereIsNamed) {
  const std::vector<int> before = allowed_cores();
  for (const int core : {-1, 8191, 100'000}) {
    try {
      const PinnedThread pinned(core);
      FAIL() << core;
    } catch (const EnvironmentError& error) {
      EXPECT_NE(std::string(error.what()).find("core " + std::to_string(core)), std::string::npos);
      EXPECT_NE(std::string(error.what()).find(std::to_string(before.front())), std::string::npos);
    }
  }
  EXPECT_EQ(allowed_cores(), before);
}

}  // namespace
}  // namespace harness
