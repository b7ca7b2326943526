#include "harness/machine/usable_cores.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/machine/check.h"
#include "harness/machine/machine_checks.h"
#include "harness/machine/test_checks.h"
#include "harness/machine/test_fake_machine.h"

namespace harness {
namespace {

TEST(CoreListTest, ReadsTheKernelsLists) {
  EXPECT_EQ(cores_in_list("0"), (std::vector<int>{0}));
  EXPECT_EQ(cores_in_list("0-2,8"), (std::vector<int>{0, 1, 2, 8}));
  EXPECT_EQ(cores_in_list("8,0-1,1"), (std::vector<int>{0, 1, 8}));
}

TEST(CoreListTest, RefusesWhatIsNone) {
  for (const char* text : {"", "a", "3-1", "-1", "0-99999999", "0,,1", "1-", "0 1"})
    EXPECT_TRUE(cores_in_list(text).empty()) << text;
}

TEST_F(FakeMachine, CoresComeFromTheAffinity) {
  put("proc/self/status", "Name:\tharness\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\nx:\ty\n");
  const UsableCores cores = usable_cores(files());
  EXPECT_EQ(cores.allowed, (std::vector<int>{0, 1, 2, 3, 6}));
  EXPECT_FALSE(cores.quota);
  expect_check(check_cores(cores, 5), CheckLevel::kOk, {"5 ranks on 5 cores"});
  EXPECT_EQ(check_cores(cores, 6).level, CheckLevel::kWarn);
}

TEST_F(FakeMachine, TheLeastQuotaOfAllGroupsAboveCounts) {
  put("proc/self/cgroup", "0::/system.slice/job\n");
  put("sys/fs/cgroup/system.slice/job/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n");
  put("sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(usable_cores(files()).quota, 1.5);
}

TEST_F(FakeMachine, QuotasOfVersionOneCountToo) {
  put("proc/self/cgroup", "3:cpuset:/\n2:cpu,cpuacct:/docker/ab\n");
  put("sys/fs/cgroup/cpu/docker/ab/cpu.cfs_quota_us", "50000\n");
  put("sys/fs/cgroup/cpu/docker/ab/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable_cores(files()).quota, 0.5);
}

}  // namespace
}  // namespace harness
