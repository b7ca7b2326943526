#include "harness/serving/visit_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

struct Entry {
  VisitId id = 0;
  int value = 0;
};

std::vector<VisitId> ids(const VisitRing<Entry>& ring) {
  std::vector<VisitId> result;
  for (std::size_t i = 0; i < ring.size(); ++i) result.push_back(ring[i].id);
  return result;
}

TEST(VisitRing, IsFirstInFirstOut) {
  VisitRing<Entry> ring;
  EXPECT_TRUE(ring.empty());
  for (VisitId id = 0; id < 40; ++id) ring.push({id, static_cast<int>(id) * 2});
  for (VisitId id = 0; id < 40; ++id) {
    ASSERT_EQ(ring.front().id, id);
    ASSERT_EQ(ring.front().value, static_cast<int>(id) * 2);
    ring.pop_front();
  }
  EXPECT_TRUE(ring.empty());
}

TEST(VisitRing, ErasesAnywhereAndKeepsTheOrder) {
  VisitRing<Entry> ring;
  for (VisitId id = 0; id < 5; ++id) ring.push({id, 0});
  EXPECT_TRUE(ring.erase(2));
  EXPECT_FALSE(ring.erase(2));
  EXPECT_TRUE(ring.erase(0));
  EXPECT_TRUE(ring.erase(4));
  EXPECT_EQ(ids(ring), (std::vector<VisitId>{1, 3}));
}

TEST(VisitRing, InsertsBeforeAPosition) {
  VisitRing<Entry> ring;
  ring.insert(0, {1, 0});
  ring.insert(0, {0, 0});
  ring.insert(2, {3, 0});
  ring.insert(2, {2, 0});
  EXPECT_EQ(ids(ring), (std::vector<VisitId>{0, 1, 2, 3}));
}

TEST(VisitRing, TakesVisitsBeforeTheFront) {
  VisitRing<Entry> ring;
  ring.push_front({2, 0});
  ring.push({3, 0});
  ring.push_front({1, 0});
  EXPECT_EQ(ids(ring), (std::vector<VisitId>{1, 2, 3}));
  ring.pop_front(3);
  for (VisitId id = 40; id > 0; --id) ring.push_front({id, 0});
  ASSERT_EQ(ring.size(), 40U);
  for (VisitId id = 1; id <= 40; ++id) EXPECT_EQ(ring[id - 1].id, id);
}

TEST(VisitRing, BehavesAsAVectorDoes) {
  RandomStream random(1, "ring");
  VisitRing<Entry> ring;
  std::vector<VisitId> model;
  VisitId next = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t action = random.below(model.size() > 60 ? 6 : 9);
    if (action == 0 && !model.empty()) {
      ring.pop_front();
      model.erase(model.begin());
    } else if (action == 1 && !model.empty()) {
      const VisitId id = model[random.below(model.size())];
      ASSERT_TRUE(ring.erase(id));
      model.erase(std::find(model.begin(), model.end(), id));
    } else if (action == 2) {
      const std::size_t at = random.below(model.size() + 1);
      ring.insert(at, {next, 0});
      model.insert(model.begin() + static_cast<std::ptrdiff_t>(at), next++);
    } else if (action == 3 && step % 50 == 0) {
      ring.erase_if([](const Entry& entry) { return entry.id % 3 == 0; });
      model.erase(std::remove_if(model.begin(), model.end(), [](VisitId id) { return id % 3 == 0; }),
                  model.end());
    } else if (action == 4 && step % 5 == 0) {
      const std::size_t count = random.below(model.size() + 1);
      ring.pop_front(count);
      model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(count));
    } else if (action == 5) {
      ring.push_front({next, 0});
      model.insert(model.begin(), next++);
    } else {
      ring.push({next, 0});
      model.push_back(next++);
    }
    ASSERT_EQ(ids(ring), model) << "step " << step;
  }
}

}  // namespace
}  // namespace harness
