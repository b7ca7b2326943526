#include "harness/core/precision.h"

#include <algorithm>

namespace harness {

std::optional<Precision> precision_of(std::string_view name) {
  const auto found = std::find(kPrecisions.begin(), kPrecisions.end(), name);
  if (found == kPrecisions.end()) return std::nullopt;
  return static_cast<Precision>(found - kPrecisions.begin());
}

}  // namespace harness
