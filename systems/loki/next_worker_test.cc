#include "systems/loki/next_worker.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/core/drop_reason.h"

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

}  // namespace
}  // namespace harness
