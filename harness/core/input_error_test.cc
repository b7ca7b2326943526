#include "harness/core/input_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "harness/core/printable.h"
#include "harness/core/test_refusal.h"

namespace harness {
namespace {

std::string line_of(const InputPlace& place, const std::string& found, const std::string& allowed) {
  return input_error(place, found, allowed).what();
}

TEST(InputErrorLine, HasPlaceFoundAndAllowed) {
  EXPECT_EQ(line_of({"a.toml", 12, "slo_ms"}, "-3", "a number from 1 to 100000"),
            "a.toml:12: slo_ms: found -3; allowed: a number from 1 to 100000");
}

TEST(InputErrorLine, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(line_of({"a.csv", 0, ""}, "x", "y"), "a.csv: found x; allowed: y");
  EXPECT_EQ(line_of({"", 0, "planner"}, "x", "y"), "planner: found x; allowed: y");
  EXPECT_EQ(line_of({"", 0, ""}, "x", ""), "found x");
}

TEST(InputErrorLine, StaysOneLineWhateverWasFound) {
  const std::string line = line_of({"a", 1, "k"}, std::string("one\ntwo\t\x7f\0!", 11), "z");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find("one\\x0atwo\\x09\\x7f\\x00!"), std::string::npos) << line;
  const std::string cut = line_of({"a", 1, "k"}, std::string(1000, 'x'), "z");
  EXPECT_LT(cut.size(), 200U);
  EXPECT_NE(cut.find("x...x"), std::string::npos);
}

// The line is printable and of a bounded length, whatever each part is and however long, and shows both ends
// of the part.
TEST(InputErrorLine, IsBoundedAndPrintableWhateverItsPartsAre) {
  std::mt19937 random(25);
  constexpr int kTries = 300;
  constexpr std::size_t kBound = 4 * 8000;  // every byte may be escaped
  for (int i = 0; i < kTries; ++i) {
    std::string part(random() % 3 == 0 ? random() % 20'000 : random() % 200, ' ');
    for (char& c : part) c = static_cast<char>(random() % (i % 2 == 0 ? 256 : 128));
    part = "begins" + part + "ends";
    for (const std::string& line :
         {line_of({part, 1, "k"}, "f", "a"), line_of({"f", 1, part}, "f", "a"),
          line_of({"f", 1, "k"}, part, "a"), line_of({"f", 1, "k"}, "f", part), refusal_of([&] {
            throw input_refusal({"f", 1, "k"}, part);
          }),
          refusal_of([&] {
            throw_unknown({"f", 1, "k"}, "key", part, {"a", part});
          })}) {
      EXPECT_LT(line.size(), kBound);
      EXPECT_TRUE(holds(line, "begins", "ends"));
      const auto visible = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; };
      EXPECT_TRUE(std::all_of(line.begin(), line.end(), visible));
      EXPECT_EQ(printable(line), line);
    }
  }
}

}  // namespace
}  // namespace harness
