#include "harness/machine/gpu_clock_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace harness {
namespace {

using Notes = std::vector<std::string>;

TEST(GpuClocks, NotesTellTheMedianTheLeastAndWhatSlowedItDown) {
  EXPECT_EQ(gpu_clock_notes({}, 1980), Notes{"the GPU's clock was not seen under load"});
  EXPECT_EQ(gpu_clock_notes({{1980, 0}, {1965, 0}, {1980, 0}}, 1980),
            (Notes{"GPU clock 1980 MHz (least 1965) of at most 1980", "GPU not slowed down"}));
  EXPECT_EQ(gpu_clock_notes({{1200, 0x4}, {1500, 0x84}, {1980, 0x20}, {1980, 0}}, 0),
            (Notes{"GPU clock 1980 MHz (least 1200)", "GPU slowed down by its power limit in 50 % of 4 looks",
                   "GPU slowed down by heat in 25 % of 4 looks"}));
  std::vector<GpuClockLook> many(1000, GpuClockLook{1980, 0});
  many.front().reasons = 0x8;
  EXPECT_EQ(gpu_clock_notes(many, 0).at(1), "GPU slowed down by its hardware in 1 % of 1000 looks")
      << "rarely is not never";
}

TEST(GpuClocks, SayWhyTheyAreNotVisible) {
  GpuClockWatch none("0000:1A:00.0", "libno-such-library.so");
  EXPECT_EQ(none.notes(), Notes{"the GPU's clocks are not visible: no libno-such-library.so"});
  GpuClockWatch other("0000:1A:00.0", "libc.so.6");
  EXPECT_EQ(other.notes(), Notes{"the GPU's clocks are not visible: libc.so.6 lacks a function"});
  GpuClockWatch unknown("0000:2B:00.0", HARNESS_TEST_NVML);
  EXPECT_EQ(unknown.notes().at(0).rfind("the GPU's clocks are not visible: ", 0), 0U);
  EXPECT_NE(unknown.notes().at(0).find("knows no GPU 0000:2B:00.0"), std::string::npos);
}

TEST(GpuClocks, AreWatchedWhileTheGpuHasWork) {
  const auto watch = std::make_unique<GpuClockWatch>("0000:1A:00.0", HARNESS_TEST_NVML);
  // The first look is idle and does not count, the second has 1980 MHz, the later ones 1500 MHz.
  Notes notes;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (notes.size() < 2 || notes[0].find("least 1500") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << notes.at(0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    notes = watch->notes();
  }
  EXPECT_NE(notes[0].find(" of at most 1980"), std::string::npos) << notes[0];
  EXPECT_EQ(notes[1].rfind("GPU slowed down by its power limit in ", 0), 0U) << notes[1];
}

}  // namespace
}  // namespace harness
