#include "harness/engine/event_queue.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "harness/core/random_stream.h"
#include "harness/engine/event.h"

namespace harness {
namespace {

TEST(EventQueue, TiesComeInOrderOfInsertion) {
  EventQueue queue;
  for (std::uint32_t i = 0; i < 100; ++i) queue.push(7, 0, i);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(queue.pop().index, i);
  EXPECT_TRUE(queue.empty());
}

// Times are few, so that many are equal; now and then the queue is long enough for looking ahead.
TEST(EventQueue, AgreesWithASortedSetOverRandomOperations) {
  RandomStream random(1, "event_queue_test");
  EventQueue queue;
  std::set<std::tuple<TimeNs, std::uint64_t, std::uint32_t>> model;
  std::uint64_t pushed = 0;
  int looked = 0;
  for (int step = 0; step < 200'000; ++step) {
    // Of a hundred steps: it grows and shrinks a little, at last it grows to thousands.
    const std::uint64_t pushes = step > 150'000 ? 60 : step / 1000 % 2 == 0 ? 52 : 46;
    if (model.empty() || random.below(100) < pushes) {
      const auto at = static_cast<TimeNs>(random.below(random.below(2) == 0 ? 50 : 5000));
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
    }
    ASSERT_EQ(queue.size(), model.size());
    ASSERT_EQ(queue.empty(), model.empty());
    if (model.size() >= EventQueue::kTaken && random.below(4) == 0) {
      ++looked;
      auto next = model.begin();
      for (const Event& event : queue.look_ahead()) ASSERT_EQ(event.order, std::get<1>(*next++));
    }
  }
  EXPECT_GT(looked, 10'000);
}

}  // namespace
}  // namespace harness
