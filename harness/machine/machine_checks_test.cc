#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/machine/machine_checks.h"
#include "harness/machine/precise_wait.h"
#include "harness/machine/test_checks.h"
#include "harness/machine/this_host.h"

namespace harness {
namespace {

/// A folder that replaces "/", removed at the end.
class FakeMachine : public testing::Test {
 public:
  FakeMachine() {
    std::string name = testing::TempDir() + "/machine-XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~FakeMachine() override { std::filesystem::remove_all(root_); }

 protected:
  void put(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  MachineFiles files() const { return MachineFiles(root_); }

  std::string root_;
};

constexpr const char* kLimits =
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max cpu time              unlimited            unlimited            seconds   \n"
    "Max open files            256                  4096                 files     \n"
    "Max locked memory         8388608              unlimited            bytes     \n";

TEST(CheckTextTest, SaysLevelSubjectFindingAndAdvice) {
  EXPECT_EQ(text_of({CheckLevel::kOk, "disk", "3 GB", ""}), "ok    disk: 3 GB");
  EXPECT_EQ(text_of({CheckLevel::kFail, "disk", "full", "free some"}), "fail  disk: full; free some");
}

TEST(CoreListTest, ReadsTheKernelsLists) {
  EXPECT_EQ(cores_in_list("0"), (std::vector<int>{0}));
  EXPECT_EQ(cores_in_list("0-2,8"), (std::vector<int>{0, 1, 2, 8}));
  EXPECT_EQ(cores_in_list("8,0-1,1"), (std::vector<int>{0, 1, 8}));
}

TEST(CoreListTest, RefusesWhatIsNone) {
  for (const char* text : {"", "a", "3-1", "-1", "0-99999999", "0,,1", "1-", "0 1"})
    EXPECT_TRUE(cores_in_list(text).empty()) << text;
}

TEST_F(FakeMachine, AnEmptyMachineGivesWarningsThatSayNotVisible) {
  const MachineFiles empty = files();
  for (const Check& check :
       {check_clock_source(empty), check_frequency(empty), check_cores(usable_cores(empty), 2),
        check_load(empty), check_open_files(empty, 2), check_locked_memory(empty),
        check_shared_memory(empty, 2)}) {
    expect_check(check, CheckLevel::kWarn, {"not visible here"});
    EXPECT_FALSE(check.advice.empty()) << check.subject;
  }
}

TEST_F(FakeMachine, RubbishIsNoFault) {
  for (const char* path : {"proc/self/status", "proc/self/limits", "proc/self/cgroup", "proc/loadavg",
                           "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "sys/fs/cgroup/cpu.max",
                           "sys/devices/system/cpu/online"})
    put(path, "Max open files\nCpus_allowed_list:\n0::\n:::\n\x01\xff \n\n");
  const MachineFiles rubbish = files();
  EXPECT_EQ(check_cores(usable_cores(rubbish), 2).level, CheckLevel::kWarn);
  EXPECT_EQ(check_load(rubbish).level, CheckLevel::kWarn);
  EXPECT_EQ(check_open_files(rubbish, 2).level, CheckLevel::kWarn);
  EXPECT_EQ(check_frequency(rubbish).level, CheckLevel::kWarn);
}

TEST_F(FakeMachine, FastClockSourcesAreWell) {
  const std::string folder = "sys/devices/system/clocksource/clocksource0/";
  put(folder + "available_clocksource", "tsc hpet acpi_pm\n");
  put(folder + "current_clocksource", "tsc\n");
  expect_check(check_clock_source(files()), CheckLevel::kOk, {"clock source: tsc"});
  put(folder + "current_clocksource", "hpet\n");
  expect_check(check_clock_source(files()), CheckLevel::kWarn, {"hpet", "available: tsc hpet acpi_pm"});
}

TEST_F(FakeMachine, EveryCoreNeedsThePerformanceGovernor) {
  const std::string folder = "sys/devices/system/cpu/";
  put(folder + "cpufreq/boost", "1\n");
  put(folder + "cpu0/cpufreq/scaling_governor", "performance\n");
  put(folder + "cpu1/cpufreq/scaling_governor", "performance\n");
  expect_check(check_frequency(files()), CheckLevel::kOk, {"performance on 2 cores", "turbo on"});
  put(folder + "cpu1/cpufreq/scaling_governor", "powersave\n");
  put(folder + "intel_pstate/no_turbo", "1\n");
  expect_check(check_frequency(files()), CheckLevel::kWarn,
               {"performance on 1 core", "powersave on 1 core", "turbo off"});
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

TEST(CoresTest, AQuotaBelowWhatTheRanksWouldUseWarns) {
  const UsableCores cores{{0, 1, 2, 3}, 2.0};
  EXPECT_EQ(check_cores(cores, 2).level, CheckLevel::kOk);
  expect_check(check_cores(cores, 4), CheckLevel::kWarn, {"4 ranks on 4 cores", "quota of 2 cores"});
}

TEST_F(FakeMachine, LoadIsComparedWithAllCores) {
  put("sys/devices/system/cpu/online", "0-7\n");
  put("proc/loadavg", "1.50 0.70 1.24 1/94 12021\n");
  EXPECT_EQ(check_load(files()).level, CheckLevel::kOk);
  put("proc/loadavg", "2.50 0.70 1.24 1/94 12021\n");
  EXPECT_EQ(check_load(files()).level, CheckLevel::kWarn);
}

TEST(StolenTime, IsAWarningAboveAFewPercent) {
  EXPECT_EQ(check_stolen_time(0.0).level, CheckLevel::kOk);
  EXPECT_EQ(check_stolen_time(0.04).level, CheckLevel::kOk);
  expect_check(check_stolen_time(0.546), CheckLevel::kWarn, {"other virtual machines", "55 %"});
  EXPECT_EQ(check_stolen_time(std::nullopt).found, "not visible here");
}

TEST_F(FakeMachine, OpenFilesMustSufficeForAllRanks) {
  put("proc/self/limits", kLimits);
  expect_check(check_open_files(files(), 9), CheckLevel::kOk, {"open files", "256"});
  expect_check(check_open_files(files(), 65), CheckLevel::kFail, {"ulimit -n"});
}

TEST_F(FakeMachine, LockedMemoryMattersWithInfiniBand) {
  put("proc/self/limits", kLimits);
  expect_check(check_locked_memory(files()), CheckLevel::kOk, {"locked memory", "8 MiB"});
  put("sys/class/infiniband/mlx5_0/node_type", "1");
  EXPECT_EQ(check_locked_memory(files()).level, CheckLevel::kWarn);
}

TEST_F(FakeMachine, SharedMemoryMustHoldASegmentForEachRank) {
  std::filesystem::create_directories(root_ + "/dev/shm");
  EXPECT_EQ(check_shared_memory(files(), 1).level, CheckLevel::kOk);
  EXPECT_EQ(check_shared_memory(files(), 1'000'000'000).level, CheckLevel::kFail);
}

}  // namespace

namespace {

TEST(SleepCheckTest, QuantilesAreNearestRanks) {
  std::vector<TimeNs> values;
  for (TimeNs i = 200; i >= 1; --i) values.push_back(i);
  const Overshoot overshoot = overshoot_of(values);
  EXPECT_EQ(overshoot.p50_ns, 100);
  EXPECT_EQ(overshoot.p99_ns, 198);
  EXPECT_EQ(overshoot.max_ns, 200);
  EXPECT_EQ(overshoot_of({7}).p50_ns, 7);
  EXPECT_EQ(overshoot_of({7}).p99_ns, 7);
}

TEST(SleepCheckTest, SleepsLastAndLeaveTheSlackAsItWas) {
  const TimeNs slack_ns = timer_slack_ns();
  const TimeNs began_ns = steady_ns();
  const SleepFindings findings = measure_slack(5, kNsPerMs);
  EXPECT_GE(steady_ns() - began_ns, 10 * kNsPerMs);
  EXPECT_GE(findings.exact.p50_ns, 0);
  EXPECT_LE(findings.exact.p99_ns, findings.exact.max_ns);
  EXPECT_EQ(timer_slack_ns(), slack_ns);
}

TEST(SleepCheckTest, JudgesSleepsWithTheSmallSlack) {
  SleepFindings findings{50'000, true, {60'000, 2'000'000, 2'000'000}, {8'000, 40'000, 50'000}};
  expect_check(check_sleeps(findings), CheckLevel::kOk,
               {"p50 8 us, p99 40 us late with 1 ns", "p50 60 us, p99 2000 us with 50000 ns"});
  findings.exact.p99_ns = 3'000'000;
  EXPECT_EQ(check_sleeps(findings).level, CheckLevel::kWarn);
  findings.exact.p99_ns = 40'000;
  findings.slack_set = false;
  EXPECT_EQ(check_sleeps(findings).level, CheckLevel::kWarn);
}

}  // namespace
}  // namespace harness
