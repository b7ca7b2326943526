// Tests of the visits that a queue of Loki's gives up when their turn comes.
#include "systems/loki/arrival_order_policy.h"

#include <gtest/gtest.h>

#include <memory>

#include "harness/serving/batching_scheduler.h"
#include "harness/serving/test_world.h"
#include "systems/loki/test_loki_world.h"

namespace harness {
namespace {

struct Rules {
  RoutingParams routing;
  DroppingParams dropping;
};

Rules rules_of(EarlyDropping rule, DropAt drop_at = DropAt::kEnd,
               ExpectedBatch expected = ExpectedBatch::kPlanned) {
  Rules rules;
  rules.routing.early_dropping = rule;
  rules.routing.drop_at = drop_at;
  rules.dropping.expected_batch = expected;
  return rules;
}

Rules by_budget(ExpectedBatch expected) {
  Rules rules = rules_of(EarlyDropping::kPerTask, DropAt::kStart, expected);
  rules.dropping.deadline = DueBy::kTask;
  return rules;
}

const Rules kBudget = by_budget(ExpectedBatch::kPlanned);
const Rules kQueued = by_budget(ExpectedBatch::kQueued);
const Rules kDeadline = rules_of(EarlyDropping::kLastTask);

/// One worker that executes a batch of b in 2 + b ms, planned for batches of 4, which take 6 ms; the budget
/// is 12 ms, the SLO 50 ms.
struct Queue {
  explicit Queue(const Rules& rules) : world({linear_profile(2, 1, 4)}, 50 * kMs, 1) {
    world.context.serving.commit = Commit::kLate;
    driver = std::make_unique<SchedulerDriver>(
        std::make_unique<BatchingScheduler<ArrivalOrderPolicy>>(world.context, 0, world.context, ModuleId{0},
                                                                rules.routing, rules.dropping),
        world.context);
    Plan plan = world.plan({4});
    plan.modules[0].budget_ns = 12 * kMs;
    driver->plan(0, plan);
    driver->add(0, 0);
    if (rules.dropping.launch == LaunchRule::kFree) driver->arrive(0, 0, 0);  // else it would wait
    driver->started(0, 0, 3 * kMs);                                           // runs while the others come
  }

  /// Ends the running batch at that moment and returns what the queue does with its visits then.
  std::string free(TimeNs now) {
    driver->done(now, 0, 0);
    return driver->free(now, 0);
  }

  TestWorld world;
  std::unique_ptr<SchedulerDriver> driver;
};

/// Returns what the queue does with visits that came at 1, 2 and 3 ms; the first is the oldest of its
/// request, the third has most time left.
std::string served_at(TimeNs now, const Rules& rules) {
  Queue queue(rules);
  queue.driver->arrive(1 * kMs, 1, -30 * kMs);  // due at 20
  queue.driver->arrive(2 * kMs, 2, -25 * kMs);  // at 25
  queue.driver->arrive(3 * kMs, 3, 0);          // at 50
  return queue.free(now);
}

// Budgets end at 13, 14 and 15 ms: a batch of the planned size must start at 7, 8, 9 at the latest.
TEST(ArrivalOrderPolicy, KeepsTheBudgetOfTheTask) {
  EXPECT_EQ(served_at(7 * kMs, kBudget), "join 0<1; join 0<2; join 0<3; launch 0");
  EXPECT_EQ(served_at(7 * kMs + 1, kBudget), "drop 1 over_budget; join 0<2; join 0<3; launch 0");
  EXPECT_EQ(served_at(9 * kMs, kBudget), "drop 1 over_budget; drop 2 over_budget; join 0<3; launch 0");
  EXPECT_EQ(served_at(9 * kMs + 1, kBudget), "drop 1 over_budget; drop 2 over_budget; drop 3 over_budget");
}

// The deadlines: batches must start at 14, 19 and 44, under every rule that has a limit at a last task.
TEST(ArrivalOrderPolicy, KeepsTheDeadlineOfTheRequest) {
  for (const Rules& rules : {kDeadline, rules_of(EarlyDropping::kPerTask, DropAt::kStart),
                             rules_of(EarlyDropping::kReroute, DropAt::kStart)}) {
    EXPECT_EQ(served_at(14 * kMs, rules), "join 0<1; join 0<2; join 0<3; launch 0");
    EXPECT_EQ(served_at(19 * kMs, rules), "drop 1 estimated_late; join 0<2; join 0<3; launch 0");
    EXPECT_EQ(served_at(44 * kMs, rules), "drop 1 estimated_late; drop 2 estimated_late; join 0<3; launch 0");
  }
  EXPECT_EQ(served_at(90 * kMs, rules_of(EarlyDropping::kOff)), "join 0<1; join 0<2; join 0<3; launch 0");
}

// The expected batch is what is queued: three visits take 5 ms and may start at 8; the two that are then left
// take 4 ms and may start at 10; one takes 3 ms and may start at 12.
TEST(ArrivalOrderPolicy, MayExpectTheBatchThatIsQueued) {
  const auto served = [](TimeNs now) { return served_at(now, kQueued); };
  EXPECT_EQ(served(8 * kMs), "join 0<1; join 0<2; join 0<3; launch 0");
  EXPECT_EQ(served(10 * kMs), "drop 1 over_budget; join 0<2; join 0<3; launch 0");
  EXPECT_EQ(served(12 * kMs), "drop 1 over_budget; drop 2 over_budget; join 0<3; launch 0");
  EXPECT_EQ(served(12 * kMs + 1), "drop 1 over_budget; drop 2 over_budget; drop 3 over_budget");
}

// Six visits at once, of which four make a batch: it takes 6 ms, whatever waits beyond it.
TEST(ArrivalOrderPolicy, ExpectsNoBatchBeyondThePlanned) {
  for (const Rules& rules : {kBudget, kQueued}) {
    Queue queue(rules);
    for (VisitId id = 1; id <= 6; ++id) queue.driver->arrive(1 * kMs, id, 0);
    EXPECT_EQ(queue.free(7 * kMs), "join 0<1; join 0<2; join 0<3; join 0<4; launch 0");
  }
}

Rules waiting() {
  Rules rules = by_budget(ExpectedBatch::kQueued);
  rules.dropping.launch = LaunchRule::kWait;
  return rules;
}

// A visit that came at 1 ms must end at 13: alone it starts at 9, a millisecond before it must, with another
// one at 8, with three others at once.
TEST(ArrivalOrderPolicy, WaitsForMoreAsLongAsTheFirstCan) {
  Queue alone(waiting());
  EXPECT_EQ(alone.driver->arrive(1 * kMs, 1, 0), "");
  EXPECT_EQ(alone.free(3 * kMs), "wake 9000000");
  EXPECT_EQ(alone.driver->timer(8 * kMs), "wake 9000000")
      << "an earlier timer, which another visit had asked for";
  EXPECT_EQ(alone.driver->timer(9 * kMs + 1), "join 0<1; launch 0") << "a timer may be late";

  Queue two(waiting());
  two.driver->arrive(1 * kMs, 1, 0);
  two.free(3 * kMs);
  EXPECT_EQ(two.driver->arrive(5 * kMs, 2, 0), "wake 8000000");
  EXPECT_EQ(two.driver->timer(8 * kMs), "join 0<1; join 0<2; launch 0");

  Queue too_late(waiting());  // with it the first would end at 13.5
  too_late.driver->arrive(1 * kMs, 1, 0);
  too_late.free(3 * kMs);
  EXPECT_EQ(too_late.driver->arrive(9 * kMs + kMs / 2, 2, 0), "join 0<1; launch 0");

  Queue full(waiting());
  full.free(3 * kMs);
  for (VisitId id = 1; id <= 3; ++id) full.driver->arrive(4 * kMs, id, 0);
  EXPECT_EQ(full.driver->arrive(5 * kMs, 4, 0), "join 0<1; join 0<2; join 0<3; join 0<4; launch 0");

  Queue hopeless(waiting());  // alone the first would end at 13.1; the second came at 2
  hopeless.driver->arrive(1 * kMs, 1, 0);
  hopeless.driver->arrive(2 * kMs, 2, 0);
  EXPECT_EQ(hopeless.free(10 * kMs + kMs / 10), "drop 1 over_budget; join 0<2; launch 0");
}

// Two wait until 8 ms; a plan for batches of two fills theirs, one with a budget of 8 ms makes them start at
// once. A worker that drains leaves what waits to others, and a visit that is cancelled is not waited for.
TEST(ArrivalOrderPolicy, LooksAgainWhereItWaits) {
  const auto bring_two = [](Queue& queue) {
    queue.driver->arrive(1 * kMs, 1, 0);
    queue.free(3 * kMs);
    queue.driver->arrive(4 * kMs, 2, 0);
  };
  Queue smaller(waiting()), shorter(waiting()), drained(waiting()), cancelled(waiting());
  for (Queue* queue : {&smaller, &shorter, &drained, &cancelled}) bring_two(*queue);
  Plan plan = smaller.world.plan({2});
  plan.modules[0].budget_ns = 12 * kMs;
  EXPECT_EQ(smaller.driver->plan(5 * kMs, plan), "join 0<1; join 0<2; launch 0");
  plan = shorter.world.plan({4});
  plan.modules[0].budget_ns = 8 * kMs;
  EXPECT_EQ(shorter.driver->plan(5 * kMs, plan), "join 0<1; join 0<2; launch 0");
  EXPECT_EQ(drained.driver->drain(5 * kMs, 0), "");
  EXPECT_EQ(drained.driver->timer(8 * kMs), "");
  cancelled.driver->cancel(5 * kMs, 1);
  EXPECT_EQ(cancelled.driver->timer(8 * kMs), "wake 12000000");
}

// Two visits have joined and a third may: the three take 5 ms and start by 7 ms to keep the budget of 12. If
// the planned four are expected, which take 6 ms, they must start by 6.
TEST(ArrivalOrderPolicy, CountsThoseThatHaveJoined) {
  const auto joins = [](TimeNs start, const Rules& rules) {
    const TestWorld world({linear_profile(2, 1, 4)}, 50 * kMs, 1);
    ArrivalOrderPolicy policy(world.context, 0, rules.routing, rules.dropping);
    Plan plan = world.plan({4});
    plan.modules[0].budget_ns = 12 * kMs;
    policy.on_plan(0, plan);
    policy.push(0, {.id = 1, .deadline_ns = 50 * kMs, .arrived_ns = 0});
    Decisions out;
    return policy.fill(0, {.worker = 0, .start_ns = start, .joined = 2, .room = 2}, out);
  };
  EXPECT_EQ(joins(7 * kMs, kQueued), 1);
  EXPECT_EQ(joins(7 * kMs + 1, kQueued), 0);
  EXPECT_EQ(joins(6 * kMs, kBudget), 1);
  EXPECT_EQ(joins(6 * kMs + 1, kBudget), 0);
}

/// True if a batch that could start at `from` serves a visit that came to a detector of 10 ms, whose budget
/// is 20, at 0. The cars' classifiers take 8 or 5 ms.
bool is_served(TimeNs from, DropAt drop_at, RerouteLimit limit) {
  LokiWorld world({{"detect", {"cars"}, {task_variant("d", 1, {1})}},
                   {"cars", {}, {task_variant("b7", 1), task_variant("b0", 0.8)}}},
                  {{10}, {8}, {5}}, 100, 3);
  Rules rules = rules_of(EarlyDropping::kReroute, drop_at);
  rules.routing.reroute_limit = limit;
  ArrivalOrderPolicy policy(world.context, 0, rules.routing, rules.dropping);
  Plan plan;
  for (const Profile& profile : world.profiles)
    plan.modules.push_back({1, 1, profile.latency(1), 2 * profile.latency(1)});
  policy.on_plan(0, plan);
  policy.push(0, {.id = 1, .module = 0, .deadline_ns = 1, .arrived_ns = 0});
  Decisions out;
  return policy.fill(0, {.worker = 0, .start_ns = from, .joined = 0, .room = 1}, out) == 1;
}

// A visit may wait 10 ms in the queue; it is behind by what it waits longer. The faster cars make up for 3 ms
// of that, or by their budgets for 6.
TEST(ArrivalOrderPolicy, DropsWhatNoReroutingCanSave) {
  EXPECT_TRUE(is_served(13 * kMs, DropAt::kStart, RerouteLimit::kExecution));
  EXPECT_FALSE(is_served(13 * kMs + 1, DropAt::kStart, RerouteLimit::kExecution));
  EXPECT_TRUE(is_served(16 * kMs, DropAt::kStart, RerouteLimit::kBudget));
  EXPECT_FALSE(is_served(16 * kMs + 1, DropAt::kStart, RerouteLimit::kBudget));
  EXPECT_TRUE(is_served(90 * kMs, DropAt::kEnd, RerouteLimit::kExecution)) << "the router will judge it";
}

}  // namespace
}  // namespace harness
