#include "systems/rag/rag_state.h"

#include "harness/core/check.h"

namespace harness {

RagReport RagReport::of(std::span<const double> values) {
  HARNESS_CHECK(values.size() == kSize, "a report is not rag's");
  return {values[0], values[1], values[2], values[3], values[4]};
}

RagState RagState::of(std::span<const double> values) {
  HARNESS_CHECK(values.size() == kSize, "a published state is not rag's");
  return {{values[0], values[1], values[2]}, values[3]};
}

}  // namespace harness
