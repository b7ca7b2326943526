#include "harness/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <string_view>

#include "harness/core/random.h"
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

TEST(Printable, KeepsTextOfAnyLanguageAndEscapesWhatDoesNotShow) {
  const std::string text = "Größe 大小 🚀";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // a control character of eight bits
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // from right to left
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");  // '/', too long
  EXPECT_EQ(printable("\xe5\xa4"), "\\xe5\\xa4");  // cut in two
  for (std::size_t longest = 0; longest < text.size(); ++longest) {
    const std::string cut = printable(text, longest);
    EXPECT_LE(cut.size(), longest + 3);
    EXPECT_EQ(cut.find('\\'), std::string::npos) << cut;
  }
}

TEST(NearestName, EndsForLongWordsAndManyNames) {
  const std::vector<std::string> names(1000, std::string(100'000, 'a'));
  EXPECT_TRUE(nearest_name(std::string(100'000, 'b'), names).empty());
  EXPECT_TRUE(nearest_name("a", names).empty());
}

TEST(Printable, KeepsLettersAndShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b]0;title\x07 \x7f"), "\\x1b]0;title\\x07 \\x7f");
  const std::string letters = "\xc3\xa9 \xce\xbb \xe2\x82\xac \xf0\x9f\x90\x8e \xc2\xa0";
  EXPECT_EQ(printable(letters), letters);
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");
  EXPECT_EQ(printable("\x9b"
                      "31m \xc3"),
            "\\x9b31m \\xc3");
  EXPECT_EQ(printable("\xe2\x1b["), "\\xe2\\x1b[") << "no character swallows what follows it";
  EXPECT_EQ(printable_lines("a\rb\n\nc\x1b\n"), "a\\x0db\n\nc\\x1b\n");
}

TEST(Printable, NeitherControlsNorStrayBytesAreLeftInAnyText) {
  RandomStream random(1, "printable");
  for (int i = 0; i < 1000; ++i) {
    std::string text;
    for (std::uint64_t left = random.below(40); left > 0; --left) {
      constexpr std::string_view kPieces[] = {"\xc2",  "\x9b", "\xe2\x82",        "\xac",
                                              "\x1b[", "a",    "\xf0\x9f\x90\x8e"};
      const std::uint64_t piece = random.below(std::size(kPieces) + 1);
      if (piece < std::size(kPieces))
        text += kPieces[piece];
      else
        text += static_cast<char>(random.below(256));
    }
    const std::string shown = printable(text);
    EXPECT_EQ(printable(shown), shown);
    for (std::size_t at = 0; at < shown.size();) {
      const std::size_t bytes = printable_bytes(std::string_view(shown).substr(at));
      ASSERT_GT(bytes, 0U) << shown;
      at += bytes;
    }
  }
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

TEST(ReportBug, NamesTheSeedAndTheVirtualTime) {
  const long long now = 1'500'000'000;
  EXPECT_DEATH(
      {
        set_bug_context({77, &now});
        HARNESS_CHECK(1 + 1 == 3, "arithmetic");
      },
      "bug at .*error_test.cc.*arithmetic \\(seed 77, virtual time 1.5");
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
