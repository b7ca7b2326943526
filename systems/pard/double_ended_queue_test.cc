#include "systems/pard/double_ended_queue.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

/// The model: a multimap puts equal keys in the order of insertion, too.
class Model {
 public:
  void put(TimeNs key, VisitId id) { entries_.emplace(key, id); }
  VisitId pop_min() { return take(entries_.begin()); }
  VisitId pop_max() { return take(std::prev(entries_.end())); }
  bool erase(VisitId id) {
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
      if (at->second != id) continue;
      entries_.erase(at);
      return true;
    }
    return false;
  }
  const std::multimap<TimeNs, VisitId>& entries() const { return entries_; }

 private:
  VisitId take(std::multimap<TimeNs, VisitId>::iterator at) {
    const VisitId id = at->second;
    entries_.erase(at);
    return id;
  }
  std::multimap<TimeNs, VisitId> entries_;
};

enum class Pattern { kSorted, kNearlySorted, kReversed, kRandom, kDuplicates, kConstant };

TimeNs key_of(Pattern pattern, TimeNs step, RandomStream& random) {
  switch (pattern) {
    case Pattern::kSorted:
      return step;
    case Pattern::kNearlySorted:
      return 10 * step + static_cast<TimeNs>(random.below(400));
    case Pattern::kReversed:
      return -step;
    case Pattern::kRandom:
      return static_cast<TimeNs>(random.bits() >> 1);
    case Pattern::kDuplicates:
      return static_cast<TimeNs>(random.below(7));
    case Pattern::kConstant:
      break;
  }
  return 0;
}

void expect_same(const DoubleEndedQueue& queue, const Model& model) {
  ASSERT_EQ(queue.size(), model.entries().size());
  std::vector<std::pair<TimeNs, VisitId>> found;
  queue.for_each([&](const DoubleEndedQueue::Entry& entry) { found.emplace_back(entry.key, entry.id); });
  const std::vector<std::pair<TimeNs, VisitId>> expected(model.entries().begin(), model.entries().end());
  ASSERT_EQ(found, expected);
}

/// Random operations around `target` elements, compared with the model after each, whole content now and
/// then.
void run_model(Pattern pattern, std::size_t target, int steps, std::uint64_t seed) {
  RandomStream random(seed, "double_ended_queue_test", static_cast<std::uint64_t>(pattern));
  DoubleEndedQueue queue;
  Model model;
  for (int step = 0; step < steps; ++step) {
    const std::uint64_t draw = random.below(100);
    const bool grow = draw < (model.entries().size() < target ? 70U : 30U);
    if (grow || model.entries().empty()) {
      const TimeNs key = key_of(pattern, step, random);
      queue.put(key, static_cast<VisitId>(step));
      model.put(key, static_cast<VisitId>(step));
    } else if (draw % 8 == 0) {
      const auto id = static_cast<VisitId>(random.below(static_cast<std::uint64_t>(step)));
      ASSERT_EQ(queue.erase(id), model.erase(id));
    } else if (draw % 2 == 0) {
      ASSERT_EQ(queue.pop_min().id, model.pop_min());
    } else {
      ASSERT_EQ(queue.pop_max().id, model.pop_max());
    }
    ASSERT_EQ(queue.size(), model.entries().size());
    ASSERT_EQ(queue.empty(), model.entries().empty());
    if (!queue.empty()) {
      ASSERT_EQ(queue.min().id, model.entries().begin()->second);
      ASSERT_EQ(queue.max().id, std::prev(model.entries().end())->second);
    }
    if (step % 256 == 0) expect_same(queue, model);
  }
  expect_same(queue, model);
}

class DoubleEndedQueueModel : public ::testing::TestWithParam<Pattern> {};

TEST_P(DoubleEndedQueueModel, AgreesWithAMultimap) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    run_model(GetParam(), 5, 4'000, seed);
    run_model(GetParam(), 150, 8'000, seed);
    run_model(GetParam(), 1'500, 12'000, seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, DoubleEndedQueueModel,
                         ::testing::Values(Pattern::kSorted, Pattern::kNearlySorted, Pattern::kReversed,
                                           Pattern::kRandom, Pattern::kDuplicates, Pattern::kConstant));

TEST(DoubleEndedQueue, DrainsInOrderFromBothEnds) {
  for (const bool from_low : {true, false}) {
    DoubleEndedQueue queue;
    RandomStream random(3, "drain");
    for (VisitId id = 0; id < 5'000; ++id) queue.put(static_cast<TimeNs>(random.below(1'000)), id);
    DoubleEndedQueue::Entry last = from_low ? queue.pop_min() : queue.pop_max();
    while (!queue.empty()) {
      const DoubleEndedQueue::Entry next = from_low ? queue.pop_min() : queue.pop_max();
      const bool ordered = from_low ? next.key > last.key || (next.key == last.key && next.id > last.id)
                                    : next.key < last.key || (next.key == last.key && next.id < last.id);
      ASSERT_TRUE(ordered);
      last = next;
    }
  }
}

TEST(DoubleEndedQueue, ServesAsAQueueForEver) {
  DoubleEndedQueue queue;
  for (VisitId id = 0; id < 100'000; ++id) {
    queue.put(id, id);
    if (id >= 100) {
      ASSERT_EQ(queue.pop_min().id, id - 100);
    }
  }
  EXPECT_EQ(queue.size(), 100U);
}

TEST(DoubleEndedQueue, IsUsableAfterClear) {
  DoubleEndedQueue queue;
  for (VisitId id = 0; id < 1'000; ++id) queue.put(id % 17, id);
  queue.clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.erase(1));
  queue.put(-5, 1);
  queue.put(-9, 2);
  EXPECT_EQ(queue.min().id, 2U);
  EXPECT_EQ(queue.max().id, 1U);
}

}  // namespace
}  // namespace harness
