#include "harness/record/run/rank_totals.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace harness {
namespace {

RankTotals rank_with(const std::string& devices, const std::string& driver = "") {
  RankTotals totals;
  totals.devices = devices;
  totals.driver = driver;
  return totals;
}

TEST(RankTotals, DevicesAreCountedOverTheRanks) {
  EXPECT_EQ(devices_text(std::vector<RankTotals>{rank_with("")}), "");
  EXPECT_EQ(devices_text(std::vector<RankTotals>{rank_with("cpu, cpu1, cpu2")}), "3 x cpu");
  EXPECT_EQ(devices_text(std::vector<RankTotals>{rank_with("cpu (worker 0), cpu (worker 1)")}), "2 x cpu");
  const std::vector<RankTotals> gpus = {rank_with(""),
                                        rank_with("cuda:0 NVIDIA H200, cuda:1 NVIDIA H200", "580.95.05"),
                                        rank_with("cuda:0 NVIDIA A100-SXM4-80GB", "550.54.15"),
                                        rank_with("cuda:2 NVIDIA H200 (worker 5)", "580.95.05")};
  EXPECT_EQ(devices_text(gpus),
            "3 x NVIDIA H200, 1 x NVIDIA A100-SXM4-80GB, driver 580.95.05, driver 550.54.15");
}

}  // namespace
}  // namespace harness
