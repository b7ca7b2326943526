#include "systems/shepherd/flex_queues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/random_stream.h"
#include "harness/core/types.h"

namespace harness {
namespace {

Profile profile_of(std::vector<TimeNs> latency_ns) {
  Profile profile;
  profile.latency_ns = std::move(latency_ns);
  return profile;
}

std::vector<TimeNs> dues_of(std::span<const FlexVisit> visits) {
  std::vector<TimeNs> dues;
  for (const FlexVisit& visit : visits) dues.push_back(visit.deadline_ns);
  return dues;
}

/// Returns the batch that `choice` means, as (due, id).
std::vector<std::pair<TimeNs, VisitId>> chosen(const MergedVisits& visits, const FeasibleBatch& choice) {
  std::vector<FlexVisit> merged;
  std::merge(visits.queued.begin(), visits.queued.end(), visits.running.begin(), visits.running.end(),
             std::back_inserter(merged), [](const FlexVisit& one, const FlexVisit& other) {
               return one.deadline_ns < other.deadline_ns;
             });
  std::vector<std::pair<TimeNs, VisitId>> batch;
  for (const FlexVisit& visit : merged) {
    if (visit.deadline_ns >= choice.from_ns && static_cast<int>(batch.size()) < choice.size) {
      batch.emplace_back(visit.deadline_ns, visit.id);
    }
  }
  return batch;
}

bool ends_in_time(std::span<const std::pair<TimeNs, VisitId>> batch, const Profile& profile, TimeNs now) {
  if (batch.empty()) return false;
  if (static_cast<int>(batch.size()) > profile.max_batch()) return false;
  const TimeNs end_ns = now + profile.latency(static_cast<int>(batch.size()));
  return std::all_of(batch.begin(), batch.end(),
                     [end_ns](const auto& visit) { return end_ns <= visit.first; });
}

using Subset = std::vector<std::pair<TimeNs, VisitId>>;

/// Returns the largest feasible one of all subsets, and of these the one with the earliest deadlines (the
/// least sum).
Subset best_subset(const Subset& all, const Profile& profile, TimeNs now) {
  Subset best;
  TimeNs best_sum = 0;
  for (unsigned mask = 1; mask < 1U << all.size(); ++mask) {
    Subset subset;
    TimeNs sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((mask >> i & 1U) == 0) continue;
      subset.push_back(all[i]);
      sum += all[i].first;
    }
    if (!ends_in_time(subset, profile, now)) continue;
    if (subset.size() > best.size() || (subset.size() == best.size() && sum < best_sum)) {
      best = subset;
      best_sum = sum;
    }
  }
  return best;
}

/// Algorithm 2 by its words: takes as many visits as can be served, from the first visit on that any batch of
/// it and its followers can serve.
Subset best_prefix(const Subset& all, const Profile& profile, TimeNs now) {
  for (std::size_t first = 0; first < all.size(); ++first) {
    for (std::size_t size = all.size() - first; size > 0; --size) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
      const Subset prefix(begin, begin + static_cast<std::ptrdiff_t>(size));
      if (ends_in_time(prefix, profile, now)) return prefix;
    }
  }
  return {};
}

/// A queue, a running batch and a profile at random; latencies may have steps down.
struct RandomCase {
  explicit RandomCase(std::uint64_t index) {
    RandomStream random(1, "flex_queues_test", index);
    const bool steps_down = index % 3 == 0;
    TimeNs latency = static_cast<TimeNs>(random.below(8));
    for (std::uint64_t b = 0; b <= random.below(9); ++b) {
      latency += static_cast<TimeNs>(random.below(4)) - (steps_down && random.below(3) == 0 ? 4 : 0);
      latency = std::max<TimeNs>(latency, 1);
      profile.latency_ns.push_back(latency);
    }
    now = static_cast<TimeNs>(random.below(5));
    const std::uint64_t visits = random.below(11);
    for (std::uint64_t i = 0; i < visits; ++i) {
      const FlexVisit visit{static_cast<TimeNs>(random.below(24)), static_cast<VisitId>(i)};
      (random.below(3) == 0 ? running : queued).push_back(visit);
    }
    const auto by_due = [](const FlexVisit& one, const FlexVisit& other) {
      return one.deadline_ns < other.deadline_ns;
    };
    std::stable_sort(queued.begin(), queued.end(), by_due);
    std::stable_sort(running.begin(), running.end(), by_due);
  }

  Profile profile;
  TimeNs now = 0;
  std::vector<FlexVisit> queued;
  std::vector<FlexVisit> running;
};

TEST(FlexBatch, SkipAgreesWithAllSubsets) {
  int nonempty = 0;
  for (std::uint64_t index = 0; index < 6'000; ++index) {
    const RandomCase one(index);
    const FlexLatency latency(one.profile, one.profile.max_batch());
    const MergedVisits visits{one.queued, one.running};
    const FeasibleBatch found = largest_batch(FlexBatch::kSkip, visits, latency, one.now);
    const Subset all = chosen(visits, {100, std::numeric_limits<TimeNs>::min()});
    ASSERT_EQ(chosen(visits, found), best_subset(all, one.profile, one.now)) << index;
    nonempty += found.size > 1 ? 1 : 0;
    for (int need = 1; need <= found.size; ++need) ASSERT_TRUE(may_fill(visits, latency, one.now, need));
  }
  EXPECT_GT(nonempty, 2'000);
}

TEST(FlexBatch, PrefixAgreesWithItsWords) {
  for (std::uint64_t index = 0; index < 20'000; ++index) {
    const RandomCase one(index);
    const FlexLatency latency(one.profile, one.profile.max_batch());
    const MergedVisits visits{one.queued, one.running};
    const FeasibleBatch found = largest_batch(FlexBatch::kPrefix, visits, latency, one.now);
    const Subset all = chosen(visits, {100, std::numeric_limits<TimeNs>::min()});
    ASSERT_EQ(chosen(visits, found), best_prefix(all, one.profile, one.now)) << index;
  }
}

TEST(FlexBatch, SkipsTheTightOneThatPrefixStopsAt) {
  const Profile profile = profile_of({10, 11, 12, 13});
  const FlexLatency latency(profile, 4);
  const std::vector<FlexVisit> queued{{10, 0}, {13, 1}, {14, 2}, {15, 3}};
  const FeasibleBatch skip = largest_batch(FlexBatch::kSkip, {queued, {}}, latency, 0);
  const FeasibleBatch prefix = largest_batch(FlexBatch::kPrefix, {queued, {}}, latency, 0);
  EXPECT_EQ(skip.size, 3);
  EXPECT_EQ(chosen({queued, {}}, skip).front().second, 1U);
  EXPECT_EQ(prefix.size, 1);
  EXPECT_EQ(chosen({queued, {}}, prefix).front().second, 0U);
}

TEST(FlexLatency, KnowsWhatFitsWhereLatenciesStepDown) {
  const Profile profile = profile_of({10, 14, 12, 20});
  const FlexLatency latency(profile, 4);
  EXPECT_EQ(latency.least_from(2), 12);
  EXPECT_EQ(latency.least(), 10);
  EXPECT_EQ(latency.largest_within(13, 4), 3);
  EXPECT_EQ(latency.largest_within(13, 2), 1);
  EXPECT_EQ(latency.largest_within(9, 4), 0);
}

class FlexQueuesOfTwo : public testing::Test {
 protected:
  FlexQueuesOfTwo() : FlexQueuesOfTwo(FlexBatch::kSkip) {}
  explicit FlexQueuesOfTwo(FlexBatch rule)
      : profiles_{profile_of({10, 12, 14}), profile_of({20, 21, 22, 23})},
        models_{{0, &profiles_[0]}, {1, &profiles_[1]}},
        queues_(models_, rule, 128) {}

  std::vector<Profile> profiles_;
  std::vector<FlexModel> models_;
  FlexQueues queues_;
};

TEST_F(FlexQueuesOfTwo, FindTheLargestOfAllAndTheFirstOfEqualOnes) {
  int model = 0;
  EXPECT_EQ(queues_.largest_of_all(0, model).size, 0);
  queues_.insert(1, {30, 0});
  EXPECT_EQ(queues_.largest_of_all(0, model).size, 1);
  EXPECT_EQ(model, 1);
  queues_.insert(0, {30, 1});
  EXPECT_EQ(queues_.largest_of_all(0, model).size, 1);
  EXPECT_EQ(model, 0);
  queues_.insert(1, {30, 2});
  EXPECT_EQ(queues_.largest_of_all(0, model).size, 2);
  EXPECT_EQ(model, 1);
  // At 10 the two of model 1 no longer make it together, and each alone exactly.
  EXPECT_EQ(queues_.largest_of_all(10, model).size, 1);
  EXPECT_EQ(model, 0);
  std::vector<FlexVisit> taken;
  queues_.take(0, queues_.largest(0, 10), taken);
  EXPECT_EQ(dues_of(taken), (std::vector<TimeNs>{30}));
  EXPECT_EQ(queues_.largest_of_all(10, model).size, 1);
  EXPECT_EQ(model, 1);
}

TEST_F(FlexQueuesOfTwo, ForgetAndExpire) {
  for (VisitId id = 0; id < 4; ++id) queues_.insert(0, {20 + id, id});
  for (VisitId id = 4; id < 8; ++id) queues_.insert(1, {20 + id, id});
  EXPECT_TRUE(queues_.erase(2));
  EXPECT_FALSE(queues_.erase(2));
  EXPECT_FALSE(queues_.erase(77));
  std::vector<VisitId> dropped;
  const auto note = [&dropped](VisitId id) { dropped.push_back(id); };
  queues_.expire(4, note);
  EXPECT_TRUE(dropped.empty());
  // Model 1 takes 20 alone: at 6 what is due at 24 and 25 is lost, at 26 not.
  queues_.expire(6, note);
  EXPECT_EQ(dropped, (std::vector<VisitId>{4, 5}));
  EXPECT_EQ(queues_.size(), 5U);
  queues_.expire(100, note);
  EXPECT_EQ(dropped, (std::vector<VisitId>{4, 5, 0, 1, 3, 6, 7}));
  EXPECT_EQ(queues_.size(), 0U);
  EXPECT_FALSE(queues_.erase(0));
}

TEST(FlexQueues, RememberNoSizeThatIsWrong) {
  // Against looking at every model again, over random insertions, batches and time.
  for (const FlexBatch rule : {FlexBatch::kSkip, FlexBatch::kPrefix}) {
    RandomStream random(3, "flex_queues");
    const std::vector<Profile> profiles{profile_of({5, 6, 7, 8}), profile_of({4, 7, 10, 13}),
                                        profile_of({9, 9, 8})};
    const std::vector<FlexModel> models{{0, &profiles[0]}, {1, &profiles[1]}, {2, &profiles[2]}};
    FlexQueues queues(models, rule, 128);
    std::vector<FlexVisit> taken;
    TimeNs now = 0;
    for (VisitId id = 0; id < 5'000; ++id) {
      now += static_cast<TimeNs>(random.below(3));
      const int which = static_cast<int>(random.below(3));
      queues.insert(which, {now + static_cast<TimeNs>(random.below(30)), id});
      queues.expire(now, [](VisitId) {});
      FeasibleBatch best;
      int best_model = 0;
      for (int m = 0; m < 3; ++m) {
        const FeasibleBatch batch = largest_batch(rule, {queues.visits(m), {}}, queues.latency(m), now);
        if (batch.size > best.size) {
          best = batch;
          best_model = m;
        }
      }
      int model = 0;
      const FeasibleBatch found = queues.largest_of_all(now, model);
      ASSERT_EQ(found.size, best.size);
      if (best.size == 0) continue;
      ASSERT_EQ(model, best_model);
      ASSERT_EQ(found.from_ns, best.from_ns);
      if (random.below(4) == 0) queues.take(model, found, taken);
    }
  }
}

}  // namespace
}  // namespace harness
