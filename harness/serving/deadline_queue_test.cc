#include "harness/serving/deadline_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

struct Queued {
  TimeNs deadline_ns = 0;
  VisitId id = 0;
};

/// Compares random operations with a multimap, which also puts equal keys in the order of insertion.
TEST(DeadlineQueue, AgreesWithAMultimap) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    RandomStream random(seed, "deadline_queue");
    DeadlineQueue<Queued> queue;
    std::multimap<TimeNs, VisitId> model;
    const std::uint64_t spread = seed % 2 == 0 ? 5 : 300;
    for (VisitId id = 0; id < 6'000; ++id) {
      const TimeNs due = id / 4 + static_cast<TimeNs>(random.below(spread));
      queue.insert({due, id});
      model.emplace(due, id);
      const auto first = static_cast<std::size_t>(random.below(model.size()));
      const auto at = std::next(model.begin(), static_cast<std::ptrdiff_t>(first));
      if (random.below(3) == 0) {
        queue.erase({at->first, at->second});
        model.erase(at);
      } else if (model.size() > 60 || random.below(20) == 0) {
        const std::size_t count = random.below(2) == 0 ? model.size() / 2 : 1;
        const std::size_t from = random.below(3) == 0 ? std::min(first, model.size() - count) : 0;
        queue.erase(from, count);
        const auto begin = std::next(model.begin(), static_cast<std::ptrdiff_t>(from));
        model.erase(begin, std::next(begin, static_cast<std::ptrdiff_t>(count)));
      }
      std::vector<std::pair<TimeNs, VisitId>> found;
      for (const Queued& visit : queue.visits()) found.emplace_back(visit.deadline_ns, visit.id);
      const std::vector<std::pair<TimeNs, VisitId>> expected(model.begin(), model.end());
      ASSERT_EQ(found, expected);
    }
  }
}

TEST(DeadlineQueue, FindsTheFirstThatIsDueFromATimeOn) {
  const std::vector<Queued> visits{{10, 0}, {10, 1}, {20, 2}, {30, 3}};
  EXPECT_EQ(first_due_from(std::vector<Queued>{}, 10), 0U);
  EXPECT_EQ(first_due_from(visits, 10), 0U);
  EXPECT_EQ(first_due_from(visits, 11), 2U);
  EXPECT_EQ(first_due_from(visits, 30), 3U);
  EXPECT_EQ(first_due_from(visits, 31), 4U);
}

}  // namespace
}  // namespace harness
