#include "harness/doctor/survey_checks.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/doctor/launch.h"
#include "harness/machine/test_checks.h"

namespace harness {
namespace {

RankFacts rank(int number, const std::string& host, std::vector<int> cores) {
  RankFacts facts;
  facts.rank = number;
  facts.answered = true;
  facts.host = host;
  facts.cores.allowed = std::move(cores);
  facts.round_trips = number == 0 ? 0 : 200;
  facts.woken = true;
  facts.wakes = true;
  return facts;
}

TEST(SurveyChecksTest, CountsRanksAndHosts) {
  const std::vector<RankFacts> facts = {rank(0, "a", {0}), rank(1, "a", {1}), rank(2, "b", {0})};
  const Launch launch{true, 3, false, "Open MPI v4.1.4"};
  expect_check(check_launch(launch, facts), CheckLevel::kOk,
               {"Open MPI v4.1.4", "3 ranks on 2 hosts", "a: 2, b: 1"});
}

TEST(SurveyChecksTest, TasksThatMpiDoesNotSeeFail) {
  const std::vector<RankFacts> alone = {rank(0, "a", {0})};
  expect_check(check_launch({false, 9, true, "Open MPI v4.1.4"}, alone), CheckLevel::kFail,
               {"srun --mpi=pmix"});
  EXPECT_EQ(check_launch({true, 9, false, "Open MPI v4.1.4"}, alone).level, CheckLevel::kFail);
  EXPECT_EQ(check_launch({false, 0, false, "Open MPI v4.1.4"}, alone).level, CheckLevel::kOk);
}

TEST(SurveyChecksTest, RanksOfAHostShareTheCoresOfAll) {
  // Bound to a core each: no rank may use two, together they may.
  const std::vector<Check> checks = check_hosts(std::vector<RankFacts>{rank(0, "a", {0}), rank(1, "a", {1})});
  ASSERT_EQ(checks.size(), 1U);
  expect_check(checks[0], CheckLevel::kOk, {"2 ranks on 2 cores"});
  EXPECT_EQ(check_hosts(std::vector<RankFacts>{rank(0, "a", {0}), rank(1, "a", {0})})[0].level,
            CheckLevel::kWarn);
}

TEST(SurveyChecksTest, SaysOnceWhatAllHostsShareAndNamesTheOthers) {
  std::vector<RankFacts> facts = {rank(0, "a", {0}), rank(1, "b", {0}), rank(2, "c", {0})};
  for (RankFacts& one : facts)
    one.checks = {{CheckLevel::kOk, "clock source", "tsc", ""}, {CheckLevel::kOk, "load", "0", ""}};
  facts[1].checks[0] = {CheckLevel::kWarn, "clock source", "hpet", "write tsc"};
  std::vector<std::string> lines;
  for (const Check& check : check_hosts(facts)) lines.push_back(text_of(check));
  EXPECT_EQ(lines, (std::vector<std::string>{"ok    cores: 1 rank on 1 core", "ok    clock source: a, c: tsc",
                                             "warn  clock source: b: hpet; write tsc", "ok    load: 0"}));
}

TEST(SurveyChecksTest, LinksGiveTheMiddleRankAndTheWorstTail) {
  std::vector<RankFacts> facts = {rank(0, "a", {0}), rank(1, "b", {0}), rank(2, "c", {0}), rank(3, "d", {0})};
  const TimeNs p50[] = {0, 100'000, 200'000, 900'000};
  const TimeNs p99[] = {0, 400'000, 3'000'000, 1'000'000};
  for (std::size_t i = 1; i < facts.size(); ++i) {
    facts[i].round_trip_p50_ns = p50[i];
    facts[i].round_trip_p99_ns = p99[i];
  }
  expect_check(check_links(facts), CheckLevel::kOk,
               {"median 0.1 ms", "p99 1.5 ms at rank 2 (c)", "serving.state_delay_ms = 0.1, ",
                ", 0.167 for 3"});  // 5/3 of 0.1
  facts[2].round_trip_p99_ns = 5'000'000;
  EXPECT_EQ(check_links(facts).level, CheckLevel::kWarn);
}

TEST(SurveyChecksTest, NamesTheWorstClock) {
  std::vector<RankFacts> facts = {rank(0, "a", {0}), rank(1, "b", {0}), rank(2, "c", {0})};
  facts[1].clock_bound_ns = 50'000;
  facts[2].clock_bound_ns = 70'000;
  facts[2].clock_offset_ns = -3'000'000;
  expect_check(check_clocks(facts), CheckLevel::kOk, {"within 0.07 ms", "rank 2 (c)", "-3 ms"});
  facts[1].clock_bound_ns = 2'000'000;
  EXPECT_EQ(check_clocks(facts).level, CheckLevel::kWarn);
}

TEST(SurveyChecksTest, NamesWakeUpsThatDoNotCome) {
  std::vector<RankFacts> facts = {rank(0, "a", {0}), rank(1, "b", {0}), rank(2, "c", {0})};
  EXPECT_EQ(check_wakes(facts).level, CheckLevel::kOk);
  facts[2].woken = false;
  expect_check(check_wakes(facts), CheckLevel::kFail, {"from rank 0 to rank 2 (c)"});
}

TEST(SurveyChecksTest, NamesSilentRanks) {
  std::vector<RankFacts> facts = {rank(0, "a", {0}), rank(1, "b", {0})};
  EXPECT_TRUE(check_silent(facts).empty());
  facts[1].answered = false;
  const std::vector<Check> checks = check_silent(facts);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].found, "no answer from rank 1 (b)");
  EXPECT_EQ(check_links(facts).level, CheckLevel::kFail);
}

}  // namespace
}  // namespace harness
