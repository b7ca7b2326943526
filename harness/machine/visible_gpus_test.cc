#include "harness/machine/visible_gpus.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace harness {
namespace {

class VisibleGpus : public testing::Test {
 protected:
  void TearDown() override {
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("FAKE_CUDA_GPUS");
  }
  /// Returns the number for a process to which CUDA shows these GPUs under this name.
  static std::uint64_t set_of(const std::string& gpus, const std::string& name) {
    setenv("FAKE_CUDA_GPUS", gpus.c_str(), 1);
    setenv("CUDA_VISIBLE_DEVICES", name.c_str(), 1);
    return visible_gpu_set(HARNESS_TEST_CUDA_DRIVER);
  }
};

TEST_F(VisibleGpus, TasksThatEachHaveAGpuZeroOfTheirOwnShareNothing) {
  EXPECT_NE(set_of("a", "0"), set_of("b", "0"));
  EXPECT_NE(set_of("ab", "0,1"), set_of("cd", "0,1"));
  EXPECT_EQ(set_of("a", "0"), set_of("a", "0"));
}

TEST_F(VisibleGpus, TheSameGpusAreTheSameByAnyName) {
  EXPECT_EQ(set_of("a", "0"), set_of("a", "GPU-61616161"));
  EXPECT_NE(set_of("ab", "0,1"), set_of("ba", "1,0")) << "device 0 is another";
}

TEST_F(VisibleGpus, WithoutUuidsTheNamesCount) {
  for (const char* const gpus : {"", "a-"}) {
    EXPECT_EQ(set_of(gpus, "0"), set_of(gpus, "0"));
    EXPECT_NE(set_of(gpus, "0"), set_of(gpus, "1"));
  }
  setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  EXPECT_EQ(visible_gpu_set("libno-such-driver.so"), visible_gpu_set("libc.so.6"));
}

}  // namespace
}  // namespace harness
