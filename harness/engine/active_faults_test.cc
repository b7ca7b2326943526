#include "harness/engine/active_faults.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

Fault fault(FaultKind kind, TimeNs at, TimeNs lasting, int first, int gpus) {
  Fault result;
  result.kind = kind;
  result.at_ns = at;
  result.for_ns = lasting;
  result.first_gpu = first;
  result.gpus = gpus;
  return result;
}

void apply_until(ActiveFaults& faults, TimeNs now, std::size_t& next) {
  for (; next < faults.changes().size() && faults.changes()[next].at_ns <= now; ++next)
    faults.apply(faults.changes()[next]);
}

TEST(ActiveFaults, ChangesComeInOrderAndBeginningsFirst) {
  const std::vector<Fault> list{fault(FaultKind::kStop, 5, 5, 0, 1), fault(FaultKind::kStop, 10, 1, 0, 1)};
  const ActiveFaults faults(list);
  ASSERT_EQ(faults.changes().size(), 4U);
  EXPECT_EQ(faults.changes()[1].fault, 1U);
  EXPECT_TRUE(faults.changes()[1].begins) << "at 10 ns, when the first one ends";
  EXPECT_EQ(faults.changes()[2].fault, 0U);
}

TEST(ActiveFaults, FactorsMultiplyAndGoAway) {
  std::vector<Fault> list{fault(FaultKind::kSlow, 0, 10, 1, 2), fault(FaultKind::kSlow, 5, 10, 2, 2)};
  list[0].factor = 3;
  list[1].factor = 7;
  ActiveFaults faults(list);
  EXPECT_FALSE(faults.slows());
  std::size_t next = 0;
  apply_until(faults, 5, next);
  EXPECT_TRUE(faults.slows());
  const std::vector<double> both{1, 3, 21, 7, 1};
  for (std::uint32_t gpu = 0; gpu < both.size(); ++gpu) EXPECT_EQ(faults.factor(gpu), both[gpu]);
  EXPECT_EQ(faults.factor(kNone), 1);
  apply_until(faults, 10, next);
  EXPECT_EQ(faults.factor(2), 7);
  apply_until(faults, 15, next);
  EXPECT_FALSE(faults.slows());
}

TEST(ActiveFaults, HoldsMessagesInOrderEachWayByItself) {
  std::vector<Fault> list{fault(FaultKind::kDelay, 0, 10, 0, 1), fault(FaultKind::kDelay, 4, 3, 0, 1)};
  list[0].delay_ns = 20;
  list[1].delay_ns = 5;
  ActiveFaults faults(list);
  EXPECT_LT(faults.links_until_ns(), 0);
  std::size_t next = 0;
  apply_until(faults, 0, next);
  EXPECT_EQ(faults.links_until_ns(), kNever);
  EXPECT_EQ(faults.held_until(1, 0, LinkDirection::kDown), 21);
  EXPECT_EQ(faults.held_until(1, 1, LinkDirection::kDown), std::nullopt);
  EXPECT_EQ(faults.held_until(1, kNone, LinkDirection::kDown), std::nullopt);
  apply_until(faults, 4, next);
  EXPECT_EQ(faults.held_until(6, 0, LinkDirection::kDown), 31) << "delays add up";
  apply_until(faults, 7, next);
  EXPECT_EQ(faults.held_until(8, 0, LinkDirection::kDown), 31) << "not before the one at 6";
  EXPECT_EQ(faults.held_until(8, 0, LinkDirection::kUp), 28);
  apply_until(faults, 10, next);
  EXPECT_EQ(faults.links_until_ns(), 31);
  EXPECT_EQ(faults.held_until(31, 0, LinkDirection::kDown), 31);
  EXPECT_EQ(faults.held_until(32, 0, LinkDirection::kDown), std::nullopt);
}

TEST(ActiveFaults, LosesWhateverElseHolds) {
  std::vector<Fault> list{fault(FaultKind::kDelay, 0, 10, 0, 1), fault(FaultKind::kLoss, 2, 2, 0, 1)};
  list[0].delay_ns = 3;
  ActiveFaults faults(list);
  std::size_t next = 0;
  apply_until(faults, 2, next);
  EXPECT_EQ(faults.held_until(2, 0, LinkDirection::kUp), kNever);
  apply_until(faults, 4, next);
  EXPECT_EQ(faults.held_until(4, 0, LinkDirection::kUp), 7);
}

}  // namespace
}  // namespace harness
