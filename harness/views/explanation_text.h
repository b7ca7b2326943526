// An explanation as sentences (docs/commands.md).
#pragma once

#include <cstddef>
#include <string>

#include "harness/views/explanation.h"

namespace harness {

/// The largest number of batches, and of requests, that the text shows of a moment. Every line of the text is
/// short.
inline constexpr std::size_t kMaxShown = 20;
/// Returns the sentences, each on a line of its own or several.
std::string explanation_text(const Explanation& explanation);

}  // namespace harness
