// For tests: an expectation on the level and the words of a check of the machine.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "harness/machine/check.h"

namespace harness {

inline void expect_check(const Check& check, CheckLevel level,
                         std::initializer_list<const char*> words = {}) {
  const std::string text = text_of(check);
  EXPECT_EQ(check.level, level) << text;
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

}  // namespace harness
