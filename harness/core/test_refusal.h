// Helpers for tests: the line of a refused input, and a check that a text holds the words that matter.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "harness/core/input_error.h"

namespace harness {

/// Returns the line with which `action` refuses its input; "no error" if it does not.
template <class Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Succeeds if the text holds each of the words; else it says which is missing.
template <class... Words>
::testing::AssertionResult holds(const std::string& text, const Words&... words) {
  for (const std::string& word : {std::string(words)...}) {
    if (text.find(word) == std::string::npos)
      return ::testing::AssertionFailure() << "no \"" << word << "\" in: " << text;
  }
  return ::testing::AssertionSuccess() << "all words are in: " << text;
}

}  // namespace harness
