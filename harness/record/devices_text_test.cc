#include "harness/record/devices_text.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

RankTotals rank(const std::string& devices, const std::string& driver = "") {
  RankTotals totals;
  totals.devices = devices;
  totals.driver = driver;
  return totals;
}

TEST(DevicesText, CountsKindsOverTheRanks) {
  EXPECT_EQ(devices_text(std::vector<RankTotals>{rank("")}), "");
  EXPECT_EQ(devices_text(std::vector<RankTotals>{rank("cpu, cpu1, cpu2")}), "3 x cpu");
  EXPECT_EQ(devices_text(std::vector<RankTotals>{rank("cpu (worker 0), cpu (worker 1)")}), "2 x cpu");
  const std::vector<RankTotals> gpus = {rank(""), rank("cuda:0 NVIDIA H200, cuda:1 NVIDIA H200", "580.95.05"),
                                        rank("cuda:0 NVIDIA A100-SXM4-80GB", "550.54.15"),
                                        rank("cuda:2 NVIDIA H200 (worker 5)", "580.95.05")};
  EXPECT_EQ(devices_text(gpus),
            "3 x NVIDIA H200, 1 x NVIDIA A100-SXM4-80GB, driver 580.95.05, driver 550.54.15");
}

}  // namespace
}  // namespace harness
