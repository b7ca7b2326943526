#include "harness/engine/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

#include "harness/core/random.h"

namespace harness {
namespace {

TEST(EventQueue, TiesComeInOrderOfInsertion) {
  EventQueue queue;
  for (std::uint32_t i = 0; i < 100; ++i) queue.push(7, 0, i);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(queue.pop().index, i);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, AgreesWithASortedSetOverRandomOperations) {
  RandomStream random(1, "event_queue_test");
  EventQueue queue;
  std::set<std::tuple<TimeNs, std::uint64_t, std::uint32_t>> model;
  std::uint64_t pushed = 0;
  for (int step = 0; step < 200'000; ++step) {
    if (model.empty() || random.below(100) < 52) {
      const auto at = static_cast<TimeNs>(random.below(5000));
      const auto index = static_cast<std::uint32_t>(random.below(1000));
      queue.push(at, 3, index);
      model.insert({at, pushed++, index});
    } else {
      if (random.below(2) == 0) {
        ASSERT_EQ(queue.top().at_ns, std::get<0>(*model.begin()));
      }
      const Event event = queue.pop();
      ASSERT_EQ(std::make_tuple(event.at_ns, event.order, event.index), *model.begin());
      model.erase(model.begin());
      const std::span<const Event> upcoming = queue.upcoming();  // the next is among them
      const auto is_next = [&](const Event& one) { return one.order == std::get<1>(*model.begin()); };
      ASSERT_EQ(std::any_of(upcoming.begin(), upcoming.end(), is_next), !model.empty());
    }
    ASSERT_EQ(queue.size(), model.size());
  }
}

}  // namespace
}  // namespace harness
