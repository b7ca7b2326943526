#include "harness/core/check.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/core/bug_context.h"
#include "harness/core/cell_failed.h"

namespace harness {
namespace {

TEST(ReportBug, NamesTheSeedAndTheVirtualTime) {
  const long long now = 1'500'000'000;
  EXPECT_DEATH(
      {
        set_bug_context({77, &now});
        HARNESS_CHECK(1 + 1 == 3, "arithmetic");
      },
      "bug at .*check_test.cc.*arithmetic \\(seed 77, virtual time 1.5");
}

TEST(ReportBug, SaysWhoseADecisionIs) {
  EXPECT_DEATH(HARNESS_CHECK_DECISION(1 > 2, "a join names no visit"),
               "harness: the system made a decision that is not allowed: a join names no visit");
}

TEST(Bugs, EndTheCellWhileOneAsksForIt) {
  set_bug_context({7, nullptr});
  {
    const BugsFailCells bugs;
    try {
      HARNESS_CHECK(1 > 2, "one is more than two");
      ADD_FAILURE();
    } catch (const CellFailed& failed) {
      EXPECT_NE(std::string(failed.what()).find("one is more than two"), std::string::npos) << failed.what();
    }
  }
  EXPECT_DEATH(HARNESS_CHECK(false, "and the program otherwise"),
               "harness: bug at .*and the program otherwise");
}

}  // namespace
}  // namespace harness
