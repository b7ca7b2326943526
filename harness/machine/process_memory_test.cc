#include "harness/machine/process_memory.h"

#include <gtest/gtest.h>

#include "harness/machine/test_fake_machine.h"

namespace harness {
namespace {

TEST_F(FakeMachine, MemoryIsWhatIsFreeAndWhatAllGroupsLeave) {
  EXPECT_FALSE(available_memory(files()));
  put("proc/meminfo", "MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:   4000 kB\n");
  EXPECT_EQ(available_memory(files()), 4096e3);
  put("proc/self/cgroup", "0::/job/step");
  put("sys/fs/cgroup/job/step/memory.max", "max\n");
  put("sys/fs/cgroup/job/step/memory.current", "500\n");
  EXPECT_EQ(available_memory(files()), 4096e3);
  put("sys/fs/cgroup/job/memory.max", "3000000\n");
  put("sys/fs/cgroup/job/memory.current", "1000000\n");
  EXPECT_EQ(available_memory(files()), 2e6);
  put("sys/fs/cgroup/job/memory.stat", "anon 3\ninactive_file 250000\n");
  EXPECT_EQ(available_memory(files()), 2.25e6);
}

TEST_F(FakeMachine, MemoryOfGroupsOfVersionOneCountsToo) {
  put("proc/self/cgroup", "4:memory:/job\n3:cpu,cpuacct:/other");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9000\n");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "2000\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "8000\n");
  put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "9000\n");
  EXPECT_EQ(available_memory(files()), 0);
}

TEST(MemoryTest, ThisProcessHasSome) { EXPECT_GT(resident_memory(), 1e6); }

}  // namespace
}  // namespace harness
