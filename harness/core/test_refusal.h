// What tests are told when an input is refused.
#pragma once

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

}  // namespace harness
