#include "harness/machine/check.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(CheckTextTest, SaysLevelSubjectFindingAndAdvice) {
  EXPECT_EQ(text_of({CheckLevel::kOk, "disk", "3 GB", ""}), "ok    disk: 3 GB");
  EXPECT_EQ(text_of({CheckLevel::kFail, "disk", "full", "free some"}), "fail  disk: full; free some");
}

}  // namespace
}  // namespace harness
