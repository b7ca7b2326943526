#include "harness/core/wording.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(NearestName, EndsForLongWordsAndManyNames) {
  const std::vector<std::string> names(1000, std::string(100'000, 'a'));
  EXPECT_TRUE(nearest_name(std::string(100'000, 'b'), names).empty());
  EXPECT_TRUE(nearest_name("a", names).empty());
}

TEST(NearestName, FindsTheNearestAndOnlyWhenNear) {
  const std::vector<std::string> names = {"pipeline", "planner", "trace", "systems"};
  EXPECT_EQ(nearest_name("pipelin", names), "pipeline");
  EXPECT_EQ(nearest_name("planer", names), "planner");
  EXPECT_EQ(nearest_name("trcae", names), "trace");  // two substitutions
  EXPECT_EQ(nearest_name("zzzzzz", names), "");
  EXPECT_EQ(nearest_name("trace", {}), "");
  EXPECT_EQ(nearest_name("ab", {"ac", "ad"}), "ac") << "ties go to the first";
}

TEST(JoinNames, SeparatesByCommas) {
  EXPECT_EQ(join_names({}), "");
  EXPECT_EQ(join_names({"a"}), "a");
  EXPECT_EQ(join_names({"a", "b"}), "a, b");
}

}  // namespace
}  // namespace harness
