#include "systems/loki/arrival_order_policy.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "systems/loki/test_loki_world.h"

namespace harness {
namespace {

constexpr double kCost = 1;

/// A table that always draws worker 7, which executes in 40 ms.
std::vector<RoutingEntry> one_route() { return {{7, 1, 1, ms_to_ns(40)}}; }

/// The most accurate first, as tables have them.
std::vector<Backup> three_backups() {
  return {{1, 5, 1.0, ms_to_ns(35)}, {2, 5, 0.8, ms_to_ns(20)}, {3, 5, 0.6, ms_to_ns(5)}};
}

NextWorker next(EarlyDropping rule, double behind_ms, std::vector<Backup>& backups, std::uint64_t seed = 0) {
  TableDraws draws(Draw::kRandom, seed, "next", 0);
  return next_worker(rule, ms_to_ns(behind_ms), one_route(), backups, kCost, draws);
}

TEST(LatencyBudget, IsTheExecutionTimeAndAsLongInTheQueue) {
  EXPECT_EQ(latency_budget(ms_to_ns(30), 1), ms_to_ns(30));
  EXPECT_EQ(latency_budget(ms_to_ns(30), 2), ms_to_ns(60));
  EXPECT_EQ(time_behind(ms_to_ns(61), ms_to_ns(60)), ms_to_ns(1));
  EXPECT_EQ(time_behind(ms_to_ns(60), ms_to_ns(60)), 0) << "exactly its budget does not exceed it";
  EXPECT_EQ(time_behind(0, ms_to_ns(60)), 0);
}

TEST(TurnLimit, IsWhatTheRuleLooksAtBeforeATaskRuns) {
  struct Case {
    EarlyDropping rule;
    DropAt at;
    TurnLimit inner, last;  ///< with the request's deadline
    TurnLimit last_of_task;
  };
  constexpr TurnLimit kNo = TurnLimit::kUnlimited, kDue = TurnLimit::kDeadline, kOwn = TurnLimit::kBudget;
  const std::vector<Case> cases = {{EarlyDropping::kOff, DropAt::kEnd, kNo, kNo, kNo},
                                   {EarlyDropping::kOff, DropAt::kStart, kNo, kNo, kNo},
                                   {EarlyDropping::kLastTask, DropAt::kEnd, kNo, kDue, kOwn},
                                   {EarlyDropping::kLastTask, DropAt::kStart, kNo, kDue, kOwn},
                                   {EarlyDropping::kPerTask, DropAt::kEnd, kNo, kNo, kNo},
                                   {EarlyDropping::kPerTask, DropAt::kStart, kOwn, kDue, kOwn},
                                   {EarlyDropping::kReroute, DropAt::kEnd, kNo, kNo, kNo},
                                   {EarlyDropping::kReroute, DropAt::kStart, kOwn, kDue, kOwn}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    const Case& each = cases[i];
    EXPECT_EQ(turn_limit(each.rule, each.at, DueBy::kRequest, false), each.inner);
    EXPECT_EQ(turn_limit(each.rule, each.at, DueBy::kTask, false), each.inner);
    EXPECT_EQ(turn_limit(each.rule, each.at, DueBy::kRequest, true), each.last);
    EXPECT_EQ(turn_limit(each.rule, each.at, DueBy::kTask, true), each.last_of_task);
    const bool is_judged = each.rule == EarlyDropping::kPerTask && each.at == DropAt::kStart;
    EXPECT_EQ(rule_at_end(each.rule, each.at), is_judged ? EarlyDropping::kOff : each.rule);
  }
}

// Cars may be read in 40 or 15 ms, faces in 30 alone: 25 ms can be made up for, whatever reads the frames.
TEST(MostMadeUp, IsTheLargestDifferenceAtANextTask) {
  Pipeline pipeline;
  const std::vector<TaskSpec> tasks = {
      {"detect", {"cars", "faces"}, {task_variant("large", 1, {3, 1}), task_variant("small", 0.5, {3, 1})}},
      {"cars", {}, {task_variant("b7", 1), task_variant("b4", 0.9), task_variant("b0", 0.8)}},
      {"faces", {}, {task_variant("vgg", 1)}}};
  ASSERT_EQ(link_tasks(pipeline, tasks), "");
  Plan plan;
  const std::vector<double> exec_ms = {80, 10, 40, 15, 5, 30};
  for (const double ms : exec_ms) plan.modules.push_back({1, 1, ms_to_ns(ms), 0});
  plan.modules[4].workers = 0;
  const auto at = [&](ModuleId module, RerouteLimit limit) {
    return most_made_up(pipeline, plan, module, limit, 2);
  };
  for (const ModuleId frames : std::vector<ModuleId>{0, 1}) {
    EXPECT_EQ(at(frames, RerouteLimit::kExecution), ms_to_ns(25));
    EXPECT_EQ(at(frames, RerouteLimit::kBudget), ms_to_ns(50));
  }
  EXPECT_EQ(at(2, RerouteLimit::kExecution), 0) << "nothing comes after";
  plan.modules[3].workers = 0;
  EXPECT_EQ(at(0, RerouteLimit::kExecution), 0) << "one variant each";
  plan.modules[2].workers = 0;
  EXPECT_EQ(at(0, RerouteLimit::kExecution), 0) << "none";
}

// 40 ms drawn and 10 behind: 30 at most; with budgets of twice the execution 80 - 10 = 70, which is 35.
TEST(TimeToSave, IsHalfWhereBudgetsAreTwiceTheExecution) {
  EXPECT_EQ(time_to_save(ms_to_ns(10), RerouteLimit::kExecution, 2), ms_to_ns(10));
  EXPECT_EQ(time_to_save(ms_to_ns(10), RerouteLimit::kBudget, 2), ms_to_ns(5));
  EXPECT_EQ(time_to_save(ms_to_ns(10), RerouteLimit::kBudget, 1), ms_to_ns(10)) << "budgets are executions";
  EXPECT_EQ(time_to_save(0, RerouteLimit::kBudget, 2), 0);
  EXPECT_EQ(time_to_save(1, RerouteLimit::kBudget, 2), 1) << "any delay is one";
  RandomStream random(1, "save");
  for (int round = 0; round < 1000; ++round) {
    const auto drawn = static_cast<TimeNs>(random.below(50));
    const auto backup = static_cast<TimeNs>(random.below(50));
    const auto behind = static_cast<TimeNs>(1 + random.below(60));
    for (const int factor : {1, 2, 3}) {
      EXPECT_EQ(backup <= drawn - time_to_save(behind, RerouteLimit::kBudget, factor),
                factor * backup <= factor * drawn - behind);
    }
  }
}

TEST(NextWorker, FollowsTheTableWithinBudget) {
  for (const EarlyDropping rule : std::vector<EarlyDropping>{
           EarlyDropping::kOff, EarlyDropping::kLastTask, EarlyDropping::kPerTask, EarlyDropping::kReroute}) {
    std::vector<Backup> backups = three_backups();
    const NextWorker chosen = next(rule, 0, backups);
    EXPECT_EQ(chosen.worker, 7U);
    EXPECT_FALSE(chosen.rerouted);
    EXPECT_EQ(backups[0].leftover_rps, 5);
  }
}

TEST(NextWorker, WhenBehindDependsOnTheRule) {
  std::vector<Backup> backups = three_backups();
  EXPECT_EQ(next(EarlyDropping::kOff, 10, backups).worker, 7U);
  EXPECT_EQ(next(EarlyDropping::kLastTask, 10, backups).worker, 7U);
  const NextWorker dropped = next(EarlyDropping::kPerTask, 10, backups);
  EXPECT_EQ(dropped.worker, kNone);
  EXPECT_EQ(dropped.reason, DropReason::kOverBudget);
}

// The drawn worker takes 40 ms: 5 ms behind it needs 35 ms, 5.1 ms behind 34.9, 36 ms behind 4.
TEST(NextWorker, ReroutesToTheMostAccurateThatMakesUpTheTime) {
  const auto rerouted_to = [](double behind_ms) {
    std::vector<Backup> backups = three_backups();
    const NextWorker chosen = next(EarlyDropping::kReroute, behind_ms, backups);
    EXPECT_EQ(chosen.rerouted, chosen.worker != kNone);
    return chosen.worker;
  };
  EXPECT_EQ(rerouted_to(5), 1U);
  EXPECT_EQ(rerouted_to(5.1), 2U);
  EXPECT_EQ(rerouted_to(20), 2U);
  EXPECT_EQ(rerouted_to(35), 3U);
  EXPECT_EQ(rerouted_to(36), kNone);
  EXPECT_EQ(rerouted_to(100), kNone) << "more than the whole execution";
}

TEST(NextWorker, UsesUpWhatIsLeft) {
  std::vector<Backup> backups = {{1, 1.5, 1.0, 0}, {2, 1, 0.5, 0}};
  std::vector<std::uint32_t> chosen;
  for (int i = 0; i < 4; ++i) chosen.push_back(next(EarlyDropping::kReroute, 1, backups).worker);
  EXPECT_EQ(chosen, (std::vector<std::uint32_t>{1, 1, 2, kNone}));
  std::vector<Backup> kept = {{1, 1.5, 1.0, 0}};
  TableDraws draws(Draw::kRandom, 1, "kept", 0);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(next_worker(EarlyDropping::kReroute, 1, one_route(), kept, 0, draws).worker, 1U);
}

TEST(NextWorker, WithoutARouteThereIsNoWorker) {
  std::vector<Backup> backups = three_backups();
  TableDraws draws(Draw::kRandom, 1, "none", 0);
  const NextWorker chosen = next_worker(EarlyDropping::kReroute, 0, {}, backups, kCost, draws);
  EXPECT_EQ(chosen.worker, kNone);
  EXPECT_EQ(chosen.reason, DropReason::kNoWorker);
}

// Steps of the golden ratio: the discrepancy of n of them grows with log n. For independent draws it grows
// with sqrt(n), to 18 for a fifth of 2,000.
TEST(TableDraws, EvenOnesKeepTheSharesFromTheStart) {
  TableDraws draws(Draw::kEven, 1, "even", 0);
  std::array<int, 5> count = {};
  for (int n = 1; n <= 2000; ++n) {
    const double number = draws.next();
    ASSERT_GE(number, 0);
    ASSERT_LT(number, 1);
    ++count[static_cast<std::size_t>(number * 5)];
    for (const int each : count) ASSERT_NEAR(each, n / 5., 3) << n;
  }
}

// Checks the definition over random tables: a slower or a full worker is never chosen, no more accurate
// worker would do, and no worker is chosen only if no worker will do.
TEST(ChooseBackup, IsTheMostAccurateThatIsFastAndFree) {
  RandomStream random(1, "choose");
  int chosen_count = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<Backup> backups(random.below(8));
    for (Backup& backup : backups) {
      backup = {0, random.below(3) == 0 ? 0.0 : random.uniform(), static_cast<double>(random.below(4)) / 4,
                static_cast<TimeNs>(random.below(10))};
    }
    const auto limit = static_cast<TimeNs>(random.below(12)) - 1;
    const std::uint32_t chosen = choose_backup(backups, limit, random);
    const auto will_do = [&](const Backup& backup) {
      return backup.leftover_rps > 0 && backup.exec_ns <= limit;
    };
    if (chosen != kNone) {
      ++chosen_count;
      ASSERT_TRUE(will_do(backups[chosen]));
    }
    for (const Backup& backup : backups) {
      if (!will_do(backup)) continue;
      ASSERT_NE(chosen, kNone);
      EXPECT_LE(backup.accuracy, backups[chosen].accuracy);
    }
  }
  EXPECT_GT(chosen_count, 5000);
}

// Four equals, the first of them after a worse one; Pearson's statistic of three degrees of freedom is above
// 16.27 with probability 0.001.
TEST(ChooseBackup, BreaksTiesAtRandom) {
  const std::vector<Backup> backups = {{0, 1, 0.5, 1},  {1, 1, 0.9, 1}, {2, 1, 0.9, 2}, {3, 1, 0.9, 1},
                                       {4, 1, 0.9, 99}, {5, 1, 0.9, 1}, {6, 0, 0.9, 1}};
  std::vector<int> count(7);
  for (std::uint64_t visit = 0; visit < 40000; ++visit) {
    RandomStream random(1, "ties", visit);
    ++count[choose_backup(backups, 10, random)];
  }
  double statistic = 0;
  for (const std::size_t equal : std::vector<std::size_t>{1, 2, 3, 5})
    statistic += (count[equal] - 10000.0) * (count[equal] - 10000.0) / 10000;
  EXPECT_LT(statistic, 16.27);
  EXPECT_EQ(count[0] + count[4] + count[6], 0);
}

}  // namespace
}  // namespace harness
