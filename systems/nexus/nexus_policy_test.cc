#include "systems/nexus/nexus_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "harness/core/random_stream.h"
#include "harness/serving/test_params.h"
#include "harness/serving/test_world.h"
#include "systems/nexus/nexus.h"

namespace harness {
namespace {

/// One module: latency 10 + 5 b ms, batches of at most 3 (25 ms), SLO 100 ms.
class NexusTest : public testing::Test {
 protected:
  void start(const ParamValues& values = {}) {
    system_ = make_nexus();
    set_params(*system_, values);
    driver_ =
        std::make_unique<SchedulerDriver>(system_->make_scheduler(world_.context, 0, 0), world_.context);
    driver_->plan(0, world_.plan({3}));
  }
  /// Queues one visit per sending time, with ids 1, 2, ...
  void queue(TimeNs now, const std::vector<TimeNs>& sent) {
    for (std::size_t i = 0; i < sent.size(); ++i) driver_->arrive(now, static_cast<VisitId>(i + 1), sent[i]);
  }

  TestWorld world_{{linear_profile(10, 5, 3)}, 100 * kMs, 1};
  std::unique_ptr<System> system_;
  std::unique_ptr<SchedulerDriver> driver_;
};

constexpr TimeNs kSend =
    -25 * kMs;  // sent then, a visit ends in time exactly when its batch of 3 starts at 50 ms

// Visits 1, 2, ... are queued, then a worker is free at 50 ms, or a nanosecond later.
TEST_F(NexusTest, DropsWhatStandsBeforeTheFirstWindowThatFits) {
  struct Case {
    const char* what;
    std::vector<TimeNs> sent;
    std::string expected;
    TimeNs after_ns = 0;
    ParamValues values = {};
  };
  const ParamValues actual = {{"estimate", std::string("actual")}};
  const Case cases[] = {
      {"ends exactly at the deadline", {kSend}, "join 0<1; launch 0"},
      {"would end a nanosecond late", {kSend}, "drop 1 early_drop", 1},
      // Windows {1,2,3}, {2,3,4}, {3,4,5} fail, {4,5,6} fits. 2 goes with them.
      {"1 late, 2 in time, 3 late, 4-6 in time",
       {kSend - 1, kSend, kSend - 1, kSend, kSend, kSend},
       "drop 1 early_drop; drop 2 early_drop; drop 3 early_drop; join 0<4; join 0<5; join 0<6; launch 0"},
      {"the same in order of deadline: only 1 and 3 are before the window, none in time is skipped",
       {kSend - 1, kSend, kSend - 1, kSend, kSend, kSend},
       "drop 1 early_drop; drop 3 early_drop; join 0<2; join 0<4; join 0<5; launch 0",
       0,
       {{"order", std::string("deadline")}}},
      {"stops at the first window though a later visit is late",
       {kSend, kSend, kSend, kSend - 1, kSend},
       "join 0<1; join 0<2; join 0<3; launch 0"},
      {"windows near the end are shorter",
       {kSend, kSend - 1, kSend, kSend},
       "drop 1 early_drop; drop 2 early_drop; join 0<3; join 0<4; launch 0"},
      {"no window fits: only what cannot end in time goes",
       {kSend - 1, kSend, kSend, kSend - 1},
       "drop 1 early_drop; drop 4 early_drop; join 0<2; join 0<3; launch 0"},
      // Alone a visit runs 15 ms: sent 35 ms before 0, it may start at 50 ms. As planned it would be late.
      {"the window's own size", {-35 * kMs}, "join 0<1; launch 0", 0, actual},
      {"two that end in time alone, not together, in 20 ms",
       {-35 * kMs, -35 * kMs},
       "drop 1 early_drop; join 0<2; launch 0",
       0,
       actual}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    start(each.values);
    queue(0, each.sent);
    EXPECT_EQ(driver_->add(50 * kMs + each.after_ns, 0), each.expected);
  }
}

// As nexuslb takes a batch from a queue (docs/validation.md): the earliest deadline goes if its batch would
// end late, and what remains may make the batch smaller. Latency 10 + 5 b ms, batches of 3, due at sent +
// 100.
TEST_F(NexusTest, WindowsLikeNexuslb) {
  const auto taken = [this](const std::vector<TimeNs>& due_ms) {
    start({{"order", std::string("deadline")}, {"estimate", std::string("actual")}});
    std::vector<TimeNs> sent;
    for (const TimeNs due : due_ms) sent.push_back((due - 100) * kMs);
    queue(0, sent);
    return driver_->add(50 * kMs, 0);
  };
  EXPECT_EQ(taken({75, 80, 90, 95}), "join 0<1; join 0<2; join 0<3; launch 0");  // 50 + 25 <= 75
  EXPECT_EQ(taken({74, 80, 90, 95}), "drop 1 early_drop; join 0<2; join 0<3; join 0<4; launch 0");
  // 1 and 2 are late in a batch of three; two remain and end at 70.
  EXPECT_EQ(taken({73, 74, 90, 95}), "drop 1 early_drop; drop 2 early_drop; join 0<3; join 0<4; launch 0");
  // 1 is late in a batch of two; 2 alone ends at 65.
  EXPECT_EQ(taken({69, 69}), "drop 1 early_drop; join 0<2; launch 0");
}

TEST_F(NexusTest, AVisitThatJoinsLaterIsCheckedByItself) {
  start();
  driver_->add(0, 0);
  EXPECT_EQ(driver_->arrive(0, 1, 0), "join 0<1; launch 0");
  EXPECT_EQ(driver_->started(0, 0, 50 * kMs), "");
  EXPECT_EQ(driver_->arrive(kMs, 2, kSend), "join 0<2");
  EXPECT_EQ(driver_->arrive(kMs, 3, kSend - 1), "drop 3 early_drop");
  EXPECT_EQ(driver_->arrive(kMs, 4, kSend), "join 0<4");
}

TEST_F(NexusTest, TheWindowIsTheRoomThatIsLeft) {
  start({{"order", std::string("arrival")}});
  driver_->add(0, 0);
  driver_->arrive(0, 1, 0);
  driver_->started(0, 0, 50 * kMs);
  for (VisitId id = 2; id <= 4; ++id) driver_->arrive(kMs, id, 0);  // the forming batch is full
  driver_->arrive(kMs, 5, kSend);
  driver_->arrive(kMs, 6, 0);
  EXPECT_EQ(driver_->drain(2 * kMs, 0), "launch 0");
  EXPECT_EQ(driver_->add(60 * kMs, 1), "drop 5 early_drop; join 1<6; launch 1");
}

TEST_F(NexusTest, DeadlineOrderSortsByDueTimeAndKeepsEqualsInOrder) {
  start({{"order", std::string("deadline")}});
  queue(0, {30, 10, 20, 10});
  EXPECT_EQ(driver_->add(kMs, 0), "join 0<2; join 0<4; join 0<3; launch 0");
  EXPECT_EQ(driver_->started(kMs, 0, 26 * kMs, 3), "join 0<1");
}

TEST_F(NexusTest, VisitsOfALostWorkerStandWhereTheirOrderSays) {
  start({{"order", std::string("deadline")}});
  queue(0, {30, 10, 20, 10});
  driver_->add(kMs, 0);
  driver_->started(kMs, 0, 26 * kMs, 3);  // 1, sent at 30, has joined
  driver_->arrive(2 * kMs, 5, 40);
  driver_->arrive(2 * kMs, 6, 20);
  EXPECT_EQ(driver_->lose(3 * kMs, 0, {1, 5, 6}, 0, 20), "") << "all due with 6 now";
  driver_->arrive(3 * kMs, 7, 10);
  EXPECT_EQ(driver_->add(4 * kMs, 1), "join 1<7; join 1<1; join 1<5; launch 1");
  EXPECT_EQ(driver_->started(4 * kMs, 1, 29 * kMs, 3), "join 1<6");
}

TEST_F(NexusTest, CancelledVisitsDoNotStandInAWindow) {
  start();
  queue(0, {kSend - 1, kSend});
  EXPECT_EQ(driver_->cancel(kMs, 1), "");
  EXPECT_EQ(driver_->add(50 * kMs, 0), "join 0<2; launch 0");
}

// Module 1 of a chain; splits 60 and 30 ms of an SLO of 200 ms, 15 ms of the 30 execution.
TEST(NexusSplit, DueAtAModuleIsTheSumOfTheSplitsUpToItOrItsOwnAfterTheArrival) {
  const TestWorld world({linear_profile(10, 5, 4), linear_profile(10, 5, 4), linear_profile(10, 5, 4)},
                        200 * kMs, 3);
  Plan plan = world.plan({1, 1, 1});
  plan.modules[0].budget_ns = 60 * kMs;
  plan.modules[1].budget_ns = 30 * kMs;
  struct Case {
    const char* what;
    const char* budget;
    TimeNs arrives;     ///< at module 1, sent at 0
    TimeNs last_start;  ///< a batch that starts then is in time
  };
  const Case cases[] = {
      {"60 + 30 after sending", "split", 20 * kMs, 75 * kMs},
      {"30 after the arrival: the 40 ms left over are lost", "per_module", 20 * kMs, 35 * kMs},
      {"what module 0 overspent is forgiven", "per_module", 100 * kMs, 115 * kMs},
      {"even beyond the deadline", "per_module", 250 * kMs, 265 * kMs}};
  for (const Case& each : cases) {
    for (const TimeNs late : {0, 1}) {
      SCOPED_TRACE(std::string(each.budget) + ": " + each.what);
      const std::unique_ptr<System> system = make_nexus();
      set_params(*system, {{"budget", std::string(each.budget)}});
      SchedulerDriver driver(system->make_scheduler(world.context, 0, 1), world.context, 1);
      driver.plan(0, plan);
      driver.arrive(each.arrives, 1, 0);
      EXPECT_EQ(driver.add(each.last_start + late, 0),
                late == 0 ? "join 0<1; launch 0" : "drop 1 early_drop");
    }
  }
}

/// The rule as the papers state it, position by position, for the planned estimate.
std::string by_the_book(std::vector<std::pair<VisitId, TimeNs>> queue, int room, TimeNs end) {
  const auto late = [end](const std::pair<VisitId, TimeNs>& visit) { return visit.second < end; };
  std::string text;
  const auto say = [&text](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  std::size_t first = 0;
  for (; first < queue.size(); ++first) {
    const auto begin = queue.begin() + static_cast<std::ptrdiff_t>(first);
    const auto length = std::min<std::ptrdiff_t>(room, queue.end() - begin);
    if (std::none_of(begin, begin + length, late)) break;
  }
  const bool none = first == queue.size();
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (none ? late(queue[i]) : i < first) say("drop " + std::to_string(queue[i].first) + " early_drop");
  }
  int joined = 0;
  for (std::size_t i = none ? 0 : first; i < queue.size() && joined < room; ++i) {
    if (none && late(queue[i])) continue;
    say("join 0<" + std::to_string(queue[i].first));
    ++joined;
  }
  if (joined > 0) say("launch 0");
  return text;
}

TEST(NexusWindow, IsTheRuleOfThePapersOnRandomQueues) {
  RandomStream random(1, "windows");
  for (int round = 0; round < 5000; ++round) {
    const int cap = 1 + static_cast<int>(random.below(6));
    const TestWorld world({linear_profile(10, 5, 6)}, 100 * kMs, 1);
    const std::unique_ptr<System> system = make_nexus();
    SchedulerDriver driver(system->make_scheduler(world.context, 0, 0), world.context);
    driver.plan(0, world.plan({cap}));
    const TimeNs end = 50 * kMs + world.context.profiles[0]->latency(cap);
    std::vector<std::pair<VisitId, TimeNs>> queue;
    const std::uint64_t length = random.below(20);
    const double share_late = random.uniform();
    for (VisitId id = 0; id < length; ++id) {
      const TimeNs sent = end - world.context.slo_ns + (random.uniform() < share_late ? -1 : 0);
      driver.arrive(0, id, sent);
      queue.push_back({id, sent + world.context.slo_ns});
    }
    ASSERT_EQ(driver.add(50 * kMs, 0), by_the_book(queue, cap, end)) << "round " << round;
  }
}

class NexusEstimates : public testing::TestWithParam<const char*> {};

TEST_P(NexusEstimates, NeverJoinsAVisitThatItEstimatedLate) {
  // Visits join all at once here, so both estimates are the true execution time or more.
  RandomStream random(2, GetParam());
  const std::vector<double> latencies = {15, 22, 24, 40, 41, 43};
  for (int round = 0; round < 5000; ++round) {
    const TestWorld world({profile_of_ms(latencies)}, 100 * kMs, 1);
    const std::unique_ptr<System> system = make_nexus();
    set_params(*system, {{"estimate", std::string(GetParam())}});
    SchedulerDriver driver(system->make_scheduler(world.context, 0, 0), world.context);
    const int cap = 1 + static_cast<int>(random.below(6));
    driver.plan(0, world.plan({cap}));
    std::map<VisitId, TimeNs> due;
    const std::uint64_t length = 1 + random.below(12);
    for (VisitId id = 0; id < length; ++id) {
      const TimeNs sent = -static_cast<TimeNs>(random.below(50)) * kMs;
      due[id] = sent + world.context.slo_ns;
      driver.arrive(0, id, sent);
    }
    const std::string text = driver.add(50 * kMs, 0);
    std::vector<VisitId> joined;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
      joined.push_back(static_cast<VisitId>(std::stoul(text.substr(at + 1))));
    }
    if (joined.empty()) continue;
    const TimeNs end = 50 * kMs + world.context.profiles[0]->latency(static_cast<int>(joined.size()));
    for (const VisitId id : joined) ASSERT_LE(end, due[id]) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, NexusEstimates, testing::Values("planned", "actual"));

}  // namespace
}  // namespace harness
