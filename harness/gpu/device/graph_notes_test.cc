#include "harness/gpu/device/graph_notes.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

using Notes = std::vector<std::string>;

TEST(GraphNotes, JoinNeighboursOfOneReason) {
  const std::vector<int> sizes = {1, 2, 4, 8, 16};
  const auto notes = [&](const std::vector<RefusedSize>& refused) { return graph_notes(sizes, refused); };
  EXPECT_EQ(notes({}), Notes());
  EXPECT_EQ(notes({{4, "a"}}), Notes{"batch 4 without a CUDA graph: a"});
  EXPECT_EQ(notes({{4, "a"}, {8, "a"}, {16, "a"}}), Notes{"batch 4 to 16 without a CUDA graph: a"});
  EXPECT_EQ(notes({{1, "a"}, {4, "a"}}),
            (Notes{"batch 1 without a CUDA graph: a", "batch 4 without a CUDA graph: a"}));
  EXPECT_EQ(notes({{1, "a"}, {2, "b"}, {4, "b"}, {16, "b"}}),
            (Notes{"batch 1 without a CUDA graph: a", "batch 2 to 4 without a CUDA graph: b",
                   "batch 16 without a CUDA graph: b"}));
}

}  // namespace
}  // namespace harness
