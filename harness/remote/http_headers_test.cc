#include "harness/remote/http_headers.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/core/test_refusal.h"

namespace harness {
namespace {

/// Sets HARNESS_SERVER_HEADERS for one test.
class ServerHeaders : public ::testing::Test {
 protected:
  static std::vector<std::string> read(const char* value) {
    setenv("HARNESS_SERVER_HEADERS", value, 1);
    return headers_from_environment();
  }
  void TearDown() override { unsetenv("HARNESS_SERVER_HEADERS"); }
};

TEST_F(ServerHeaders, AreLinesOfNameAndValue) {
  EXPECT_TRUE(headers_from_environment().empty());
  EXPECT_TRUE(read("").empty());
  EXPECT_EQ(read("Authorization: Bearer abc\r\n\n  \nX-Tenant:7"),
            (std::vector<std::string>{"Authorization: Bearer abc", "X-Tenant:7"}));
}

TEST_F(ServerHeaders, RefusalsNameTheLineButNeverShowAValue) {
  for (const char* bad : {"A: 1\nsecret", "A: 1\nse cret: x", "A: 1\n: secret", "A: 1\nX: sec\x01ret",
                          "A: 1\nToken:  ", "A: 1\nX: secret\r\r"}) {
    const std::string line = refusal_of([&] { read(bad); });
    EXPECT_TRUE(holds(line, "HARNESS_SERVER_HEADERS:2: ")) << bad;
    EXPECT_EQ(line.find("secret"), std::string::npos) << line;
    EXPECT_EQ(line.find("sec\\x01ret"), std::string::npos) << line;
  }
}

TEST(HttpHeaders, CannotSmuggleASecondHeader) {
  EXPECT_TRUE(holds(refusal_of([] { HttpHeaders({"A: 1", "B: 2\r\nC: 3"}); }), "headers:2: ", "'B'"));
}

}  // namespace
}  // namespace harness
