#include "harness/claims/glob.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace harness {
namespace {

/// Defines the meaning of a pattern in the shortest way; its time grows exponentially.
bool fits_by_definition(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*')
    return !text.empty() && pattern.front() == text.front() &&
           fits_by_definition(pattern.substr(1), text.substr(1));
  for (std::size_t skip = 0; skip <= text.size(); ++skip) {
    if (fits_by_definition(pattern.substr(1), text.substr(skip))) return true;
  }
  return false;
}

std::string drawn(std::mt19937& random, const std::string& letters, std::size_t longest) {
  std::string text(random() % (longest + 1), ' ');
  for (char& c : text) c = letters[random() % letters.size()];
  return text;
}

TEST(FitsGlob, MeansWhatTheDefinitionSays) {
  std::mt19937 random(25);
  int fitting = 0;
  constexpr int kTries = 20'000;
  for (int i = 0; i < kTries; ++i) {
    const std::string pattern = drawn(random, "ab*", 8);
    const std::string text = drawn(random, "ab", 10);
    const bool fits = fits_by_definition(pattern, text);
    EXPECT_EQ(fits_glob(pattern, text), fits) << "'" << pattern << "' '" << text << "'";
    fitting += fits ? 1 : 0;
  }
  EXPECT_GT(fitting, kTries / 20);
}

// An algorithm that tries each star at every place for every other star would not end on these.
TEST(FitsGlob, TakesLongPatternsAndTexts) {
  constexpr std::size_t kLong = 200'000;
  const std::string text(kLong, 'a');
  std::string stars;
  for (std::size_t i = 0; i < kLong / 4; ++i) stars += "a*";
  EXPECT_TRUE(fits_glob(stars, text));
  EXPECT_FALSE(fits_glob(stars + "b", text));
  EXPECT_FALSE(fits_glob(stars + "b*", text));
  EXPECT_FALSE(fits_glob("*" + std::string(kLong / 2, 'a') + "b*", text));
  EXPECT_TRUE(fits_glob("*" + std::string(kLong / 2, 'a') + "*", text));
}

}  // namespace
}  // namespace harness
