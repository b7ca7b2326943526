#include "harness/live/transport/sequence_check.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(SequenceCheck, FindsGapsAndRepetitions) {
  SequenceCheck check;
  for (const std::uint64_t sequence : {0, 1, 2}) EXPECT_TRUE(check.accept(sequence));
  EXPECT_FALSE(check.accept(2));
  EXPECT_FALSE(check.accept(0));
  EXPECT_TRUE(check.accept(5));  // 3 and 4 are lost
  EXPECT_FALSE(check.accept(5));
  EXPECT_TRUE(check.accept(6));
  EXPECT_EQ(check.lost(), 2u);
  EXPECT_EQ(check.repeated(), 3u);
}

TEST(SequenceCheck, CountsWhatIsMissingAtTheBeginning) {
  SequenceCheck check;
  EXPECT_TRUE(check.accept(3));
  EXPECT_EQ(check.lost(), 3u);
}

}  // namespace
}  // namespace harness
