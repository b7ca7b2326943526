#include "harness/serving/ranked_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

TEST(RankedHeap, AgreesWithAMap) {
  RandomStream random(1, "ranked_heap");
  RankedHeap<int> heap;
  std::map<std::uint32_t, int> model;
  for (int step = 0; step < 20'000; ++step) {
    const auto id = static_cast<std::uint32_t>(random.below(40));
    if (random.below(3) == 0) {
      heap.erase(id);
      model.erase(id);
    } else {
      model[id] = static_cast<int>(random.below(20));
      heap.set(id, model[id]);
    }
    ASSERT_EQ(heap.empty(), model.empty());
    if (model.empty()) continue;
    std::pair<int, std::uint32_t> first{std::numeric_limits<int>::max(), 0};
    for (const auto& [each, key] : model) first = std::min(first, {key, each});
    ASSERT_EQ(std::pair(heap.first_key(), heap.first()), first);
  }
}

}  // namespace
}  // namespace harness
