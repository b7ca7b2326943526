#include "harness/files/text_lines.h"

#include <gtest/gtest.h>

#include "harness/core/test_refusal.h"
#include "harness/files/toml_value.h"

namespace harness {
namespace {

const std::string kUtf8Mark = "\xef\xbb\xbf";

/// Returns the text with two or four bytes for each character, as some editors write it.
std::string widened(const std::string& text, std::size_t zeros, bool first, const std::string& mark) {
  std::string wide = mark;
  for (const char c : text) {
    if (first) wide.append(zeros, '\0');
    wide += c;
    if (!first) wide.append(zeros, '\0');
  }
  return wide;
}

TEST(PlainText, KnowsAResultsFile) {
  for (const char* begin : {"\x89HDF\r\n", "harness file, XXH3-128 0\n"})
    EXPECT_TRUE(holds(refusal_of([&] { plain_text("x.h5", begin); }), "x.h5: found a results file (HDF5)",
                      "harness show"));
}

TEST(PlainText, PassesOverTheByteOrderMarkOfUtf8) {
  const std::string text = kUtf8Mark + "1,2\n";
  TextLines lines("t.csv", text);
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.line(), "1,2");
  const TomlValue document = parse_toml("e.toml", kUtf8Mark + "a = 1\n");
  EXPECT_EQ(std::get<TomlTable>(document.data).front().key, "a");
  EXPECT_EQ(plain_text("t", kUtf8Mark), "");
  EXPECT_EQ(plain_text("t", "a" + kUtf8Mark), "a" + kUtf8Mark);
}

TEST(PlainText, RefusesOtherEncodingsInEveryKindOfText) {
  const std::string text = "a = 1\n";
  for (const std::string& bytes : {widened(text, 1, false, "\xff\xfe"), widened(text, 1, true, "\xfe\xff"),
                                   widened(text, 3, false, std::string("\xff\xfe\0\0", 4)),
                                   widened(text, 3, true, std::string("\0\0\xfe\xff", 4)),
                                   widened(text, 1, false, ""), widened(text, 1, true, "")}) {
    EXPECT_TRUE(holds(refusal_of([&] { TextLines("t.csv", bytes); }), "t.csv:", " found ", "text in UTF-8"));
    EXPECT_TRUE(
        holds(refusal_of([&] { parse_toml("e.toml", bytes); }), "e.toml:", " found ", "text in UTF-8"));
  }
  EXPECT_TRUE(holds(refusal_of([] { plain_text("t", "\xff\xfe"); }), "UTF-16"));
  EXPECT_TRUE(holds(refusal_of([] { plain_text("t", std::string("a\nb\0", 4)); }), "t:2: found binary data"));
}

}  // namespace
}  // namespace harness
