// The candidate of one model and its target on cases that can be worked out by hand: E1 and E2 of the README.
#include "systems/symphony/candidate_queue.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/serving/test_world.h"

namespace harness {
namespace {

SymphonyLatency latency_of(double alpha_ms, double beta_ms) {
  return SymphonyLatency(linear_profile(beta_ms, alpha_ms, 200), 200);
}
int target(double alpha_ms, double beta_ms, double slo_ms, double rate_rps) {
  return target_batch(latency_of(alpha_ms, beta_ms), ms_to_ns(slo_ms), rate_rps);
}

// l(b) = 1.082 b + 5.204 ms under 100 ms: one GPU is enough up to 500/s; 1,000/s need 1.195.
TEST(TargetBatch, IsWhatStaggeredGpusCanRun) {
  const std::vector<std::pair<double, int>> of_rates{{100, 8},   {200, 15},  {500, 30},
                                                     {1000, 45}, {2000, 59}, {5000, 73}};
  for (const auto& [rate_rps, expected] : of_rates)
    EXPECT_EQ(target(1.082, 5.204, 100, rate_rps), expected) << rate_rps;
  EXPECT_EQ(target(1, 5, 20, 200), 2);
  EXPECT_EQ(target(1, 5, 20, 800), 6);
}

TEST(TargetBatch, IsHalfTheSloWithoutARateAndAtLeastOne) {
  EXPECT_EQ(target_batch(latency_of(1, 5), 20 * kMs, std::nullopt), 5);
  EXPECT_EQ(target_batch(latency_of(1, 50), 20 * kMs, std::nullopt), 1);
  EXPECT_EQ(target(1, 50, 20, 1000), 1);
  EXPECT_EQ(target(1, 5, 20, 0), 1);
}

// No batch larger than the profile has, and none faster than a smaller one.
TEST(TargetBatch, StaysWithinTheProfile) {
  const SymphonyLatency latency(profile_of_ms({5, 4, 6, 7}), 3);
  EXPECT_EQ(latency.of(2), ms_to_ns(5));
  EXPECT_EQ(latency.largest_within(ms_to_ns(4.9)), 0);
  EXPECT_EQ(latency.largest_within(ms_to_ns(5)), 2);
  EXPECT_EQ(latency.largest_within(ms_to_ns(1e6)), 3);
  EXPECT_EQ(latency.of(4), SymphonyLatency::kTooLarge);
  EXPECT_EQ(target_batch(latency, ms_to_ns(1000), 1e5), 3);
}

/// Model A: l(b) = b + 5 ms, SLO 20 ms. Times in ms, from `origin_ms` on.
class Hand {
 public:
  explicit Hand(const SymphonyParams& params = {}, double origin_ms = 0)
      : origin_ms_(origin_ms), queue_(params, latency_of(1, 5), 20 * kMs) {}

  void arrive(double at, VisitId id) { queue_.arrive(time(at), {time(at + 20), id}); }
  void cancel(double arrived, VisitId id) { queue_.erase({time(arrived + 20), id}); }
  /// Returns the dropped requests, "-0" (late even alone: "-0!"), then the batch with the time at which it is
  /// to start and the latest at which it may: "1 2 (3 to 4)".
  std::string update(double now) {
    std::string text;
    queue_.update(time(now), [&](VisitId id, bool is_late) {
      text += "-" + std::to_string(id) + (is_late ? "! " : " ");
    });
    for (const CandidateQueue::WaitingVisit& visit : queue_.batch()) text += std::to_string(visit.id) + " ";
    const CandidateQueue::Candidate& candidate = queue_.candidate();
    if (candidate.size == 0) return text + "nothing";
    return text + "(" + ms(candidate.start_ns) + " to " + ms(candidate.latest_ns) + ")";
  }
  CandidateQueue& queue() { return queue_; }

 private:
  TimeNs time(double at) const { return ms_to_ns(origin_ms_ + at); }
  std::string ms(TimeNs at) const {
    std::string text = std::to_string(ns_to_ms(at) - origin_ms_);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }

  double origin_ms_;
  CandidateQueue queue_;
};

TEST(CandidateQueue, E1DefersWhileOneMoreCouldJoin) {
  Hand hand;
  std::vector<std::string> candidates;
  for (VisitId id = 0; id < 6; ++id) {
    hand.arrive(1.5 * id, id);
    candidates.push_back(hand.update(1.5 * id));
  }
  EXPECT_EQ(candidates,
            (std::vector<std::string>{"0 (13 to 14)", "0 1 (12 to 13)", "0 1 2 (11 to 12)",
                                      "0 1 2 3 (10 to 11)", "0 1 2 3 4 (9 to 10)", "0 1 2 3 4 5 (8 to 9)"}));
}

TEST(CandidateQueue, StartsAtOnceOrAtTheLastMoment) {
  Hand eager({.schedulable = SymphonySchedulable::kEager});
  eager.arrive(0, 0);
  EXPECT_EQ(eager.update(0), "0 (0 to 14)");
  Hand latest({.schedulable = SymphonySchedulable::kLatest});
  latest.arrive(0, 0);
  EXPECT_EQ(latest.update(0), "0 (14 to 14)");
}

/// E2: arrivals at 0..5, the first decision at 12. With 200/s before them, if so.
std::string e2(const SymphonyParams& params, bool known_rate, std::string* then = nullptr) {
  Hand hand(params, known_rate ? 50 : 0);
  for (VisitId id = 10; known_rate && id < 20; ++id) {
    hand.arrive(-1, id);
    hand.cancel(-1, id);
  }
  for (VisitId id = 0; id < 6; ++id) hand.arrive(id, id);
  std::string candidate = hand.update(12);
  hand.queue().take();
  if (then != nullptr) *then = hand.update(12);
  return candidate;
}

// A batch of 4 is the largest that a tail of the queue makes. Of the two requests before it the first has no
// place in a batch of 4.
TEST(CandidateQueue, E2DropsTheHeadThatALargeTargetLeavesNoTimeFor) {
  std::string then;
  EXPECT_EQ(e2({}, false, &then), "-0 1 2 3 4 (12 to 12)") << "no rate yet: the target is 5";
  EXPECT_EQ(then, "5 (18 to 19)");
}

TEST(CandidateQueue, E2DropsNothingWithASmallTarget) {
  std::string then;
  EXPECT_EQ(e2({}, true, &then), "0 1 2 (12 to 12)") << "200/s: the target is 2";
  EXPECT_EQ(then, "3 4 5 (14 to 15)");
  EXPECT_EQ(e2({.drop = SymphonyDrop::kTimeout}, false), "0 1 2 (12 to 12)");
}

// Nothing that waits can end in time: nexuslb leaves such requests, here they are dropped.
TEST(CandidateQueue, DropsAllThatIsLate) {
  Hand hand;
  hand.arrive(0, 0);
  hand.arrive(1, 1);
  EXPECT_EQ(hand.update(15.1), "-0! -1! nothing");
  hand.arrive(16, 2);
  EXPECT_EQ(hand.update(16), "2 (29 to 30)");
}

// A request that is due before requests of the prefix is in the prefix too; a cancellation gives the others a
// place.
TEST(CandidateQueue, TakesRequestsInAnyOrderOfDeadlines) {
  Hand hand({.drop = SymphonyDrop::kTimeout});
  for (VisitId id = 0; id < 6; ++id) hand.arrive(id, id);
  EXPECT_EQ(hand.update(12), "0 1 2 (12 to 12)");
  hand.arrive(0.5, 6);
  EXPECT_EQ(hand.update(12), "0 6 1 (12 to 12)");
  hand.cancel(0, 0);
  hand.cancel(0.5, 6);
  hand.cancel(1, 1);
  EXPECT_EQ(hand.update(12), "2 3 4 5 (12 to 13)");
}

}  // namespace
}  // namespace harness
