#include "harness/machine/cpu_facts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace harness {
namespace {

namespace fs = std::filesystem;

/// A folder with made-up files of the kernel.
class CpuFactsFiles : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            ("cpu_facts_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::string root() const { return root_.string(); }

 private:
  fs::path root_;
};

TEST_F(CpuFactsFiles, AreReadFromProcAndSys) {
  write("proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Made up 7\ncpu MHz\t\t: 999\n\nprocessor\t: 1\nmodel name\t: Other\n");
  write("proc/stat", "cpu  100 0 50 800 10 5 5 30 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n");
  for (const char* cpu : {"cpu0", "cpu1"}) {
    const std::string folder = std::string("sys/devices/system/cpu/") + cpu;
    write(folder + "/cpufreq/scaling_cur_freq", cpu[3] == '0' ? "3000000\n" : "2000000\n");
    write(folder + "/cpufreq/scaling_governor", "powersave\n");
    write(folder + "/thermal_throttle/core_throttle_count", "4\n");
  }
  write("sys/devices/system/cpu/cpuidle/scaling_cur_freq", "1\n");
  const CpuFacts facts = read_cpu_facts(root());
  EXPECT_EQ(facts.model, "Made up 7");
  EXPECT_EQ(facts.processors, 2);
  const CpuClocks clocks = read_cpu_clocks(root());
  EXPECT_EQ(clocks.governor, "powersave");
  EXPECT_EQ(clocks.mean_mhz, 2500);
  EXPECT_EQ(clocks.least_mhz, 2000);
  EXPECT_EQ(clocks.throttled, 8);
  EXPECT_EQ(clocks.stolen_ticks, 30);
  EXPECT_EQ(clocks.ticks, 1000);
  EXPECT_EQ(clocks.idle_ticks, 810);
  EXPECT_GT(clocks.own_ns, 0);
}

TEST_F(CpuFactsFiles, FallBackToCpuinfoAndToNothing) {
  EXPECT_EQ(read_cpu_facts(root()).processors, 0);
  const CpuClocks nothing = read_cpu_clocks(root());
  EXPECT_FALSE(nothing.mean_mhz);
  EXPECT_FALSE(nothing.throttled);
  for (const std::string& note : clock_notes(nothing, nothing))
    EXPECT_NE(note.find("not visible"), std::string::npos) << note;
  write("proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2596.120\n");
  EXPECT_EQ(read_cpu_clocks(root()).mean_mhz, 2596.120);
}

TEST(ClockNotes, SayWhatChanged) {
  CpuClocks before;
  before.governor = "performance";
  before.mean_mhz = 3000;
  before.least_mhz = 2900;
  before.throttled = 3;
  before.stolen_ticks = 10;
  before.ticks = 1000;
  CpuClocks after = before;
  after.mean_mhz = 2250;
  after.least_mhz = 2000;
  after.throttled = 5;
  after.stolen_ticks = 25;
  after.ticks = 2000;
  // 15 of 1000 ticks were stolen and 400 were idle; this process had 1 s, which is 100 ticks on Linux.
  after.idle_ticks = 400;
  after.own_ns = kNsPerS;
  const std::vector<std::string> notes = clock_notes(before, after);
  ASSERT_EQ(sysconf(_SC_CLK_TCK), 100);
  ASSERT_EQ(notes.size(), 5U);
  EXPECT_EQ(notes[0], "clock 3.00 GHz (least 2.90) before, 2.25 GHz (least 2.00) after: 25 % slower");
  EXPECT_EQ(notes[1], "frequency governor performance");
  EXPECT_EQ(notes[2], "throttled 2 times");
  EXPECT_EQ(notes[3], "other processes took 48 % of the processors' time");
  EXPECT_EQ(notes[4], "other virtual machines took 1.5 % of it");
  EXPECT_DOUBLE_EQ(share_of_others(before, after).value_or(0), 0.5);
  EXPECT_FALSE(share_of_others(after, after));
  // The processors had work for 600 of the 1000 ticks.
  EXPECT_DOUBLE_EQ(share_stolen(before, after).value_or(0), 15.0 / 600);
  EXPECT_FALSE(share_stolen(after, after));
}

}  // namespace
}  // namespace harness
