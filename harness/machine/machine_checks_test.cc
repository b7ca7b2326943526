#include "harness/machine/machine_checks.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "harness/machine/check.h"
#include "harness/machine/machine_files.h"
#include "harness/machine/test_checks.h"
#include "harness/machine/test_fake_machine.h"
#include "harness/machine/usable_cores.h"

namespace harness {
namespace {

constexpr const char* kLimits =
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max cpu time              unlimited            unlimited            seconds   \n"
    "Max open files            256                  4096                 files     \n"
    "Max locked memory         8388608              unlimited            bytes     \n";

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
}  // namespace harness
