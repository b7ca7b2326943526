#include "harness/machine/check.h"

#include <cstddef>

namespace harness {

std::string text_of(const Check& check) {
  constexpr const char* kLevels[] = {"ok    ", "warn  ", "fail  "};
  std::string text = kLevels[static_cast<std::size_t>(check.level)] + check.subject + ": " + check.found;
  if (!check.advice.empty()) text += "; " + check.advice;
  return text;
}

}  // namespace harness
