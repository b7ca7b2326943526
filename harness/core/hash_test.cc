#include "harness/core/hash.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(Mix64, IsTheFinaliserOfSplitMix64) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
  EXPECT_EQ(mix64(kGolden), 0xe220a8397b1dcdafULL);  // first output of SplitMix64 seeded with 0
  EXPECT_EQ(mix64(1234567 + kGolden), 6457827717110365317ULL);
  EXPECT_EQ(mix64(1234567 + 2 * kGolden), 3203168211198807973ULL);
}

TEST(HashText, IsFnv1a) {
  EXPECT_EQ(hash_text(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(hash_text("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(hash_text("foobar"), 0x85944171f73967e8ULL);
}

}  // namespace
}  // namespace harness
