#include "harness/record/run/batch_ends.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(BatchEnds, EndsInTheSameSlotArePairs) {
  constexpr TimeNs kSlot = TimeNs{1} << BatchEnds::kSlotBits;
  BatchEnds ends;
  for (const TimeNs at : {3 * kSlot, 4 * kSlot - 1, 4 * kSlot, 6 * kSlot, 6 * kSlot, 6 * kSlot + 7})
    ends.add(at);
  EXPECT_EQ(ends.count, 6U);
  EXPECT_EQ(ends.pairs, 1U + 0 + 3);
  EXPECT_EQ(ends.last_slot, 6);
}

}  // namespace
}  // namespace harness
