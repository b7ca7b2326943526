// What tests are told: when an input is refused, and whether a text holds the words that matter.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "harness/core/error.h"

namespace harness {

/// The line with which `action` refuses its input; "no error" when it does not.
template <class Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Whether the text holds each of the words; else it says which is missing.
template <class... Words>
::testing::AssertionResult holds(const std::string& text, const Words&... words) {
  for (const std::string& word : {std::string(words)...}) {
    if (text.find(word) == std::string::npos)
      return ::testing::AssertionFailure() << "no \"" << word << "\" in: " << text;
  }
  return ::testing::AssertionSuccess() << "all words are in: " << text;
}

}  // namespace harness
