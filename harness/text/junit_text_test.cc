#include "harness/text/junit_text.h"

#include <gtest/gtest.h>

#include "harness/core/test_refusal.h"

namespace harness {
namespace {

TEST(JUnitText, TextsAreEscapedAndOutcomesCounted) {
  const std::string xml = junit_text("s", {{"a&b", "<x>", JUnitCase::Result::kPassed, "unused", "\"o\"\x01"},
                                           {"a", "y", JUnitCase::Result::kSkipped, "why", ""},
                                           {"a", "z", JUnitCase::Result::kError, "what", ""}});
  EXPECT_TRUE(holds(xml, "tests=\"3\" failures=\"0\" skipped=\"1\" errors=\"1\"",
                    "classname=\"a&amp;b\" name=\"&lt;x&gt;\"", "<system-out>&quot;o&quot; </system-out>",
                    "<skipped message=\"why\"/>"));
  EXPECT_FALSE(holds(xml, "unused"));
}

}  // namespace
}  // namespace harness
