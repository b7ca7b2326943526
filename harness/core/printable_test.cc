#include "harness/core/printable.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string_view>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

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

}  // namespace
}  // namespace harness
